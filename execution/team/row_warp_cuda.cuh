// SPDX-License-Identifier: MIT
// A warp whose lanes hold neighbouring columns of a row, on a GPU: PerLane of them in the registers
// of each lane. Between two columns of a lane a value moves by renaming, between two lanes by a
// shuffle: one of PerLane moves.
#pragma once
#include <cstdint>
#include <type_traits>

#include "dwell/base/cell_piece.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/base/half.hpp"

namespace dwell::cuda {

/// The conversions of cuda_fp16.h, which a machine without the toolkit does not have.
DWELL_FN float float_of(half v) {
  float out;
  asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(v.bits));
  return out;
}
DWELL_FN half half_of(float v) {
  half out;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out.bits) : "f"(v));
  return out;
}

/// A cell of an image as sums have it: exact.
template <class T, class Cell>
DWELL_FN T widened(Cell v) {
  if constexpr (std::is_same_v<Cell, std::uint8_t>)  // 2^23 + v, of whose bits v is the last eight
    return __uint_as_float(0x4b000000u | v) - 0x1p23f;
  else if constexpr (std::is_same_v<Cell, half>)
    return float_of(v);
  else
    return v;
}
/// A sum as a cell of an image: the nearest, of two as near the even one, and of 8 bits cut off at
/// 0 and 255, NaN to 0.
template <class Cell>
DWELL_FN Cell rounded_to(float v) {
  if constexpr (std::is_same_v<Cell, std::uint8_t>)
    return static_cast<std::uint8_t>(__float2uint_rn(fminf(fmaxf(v, 0.0f), 255.0f)));
  else
    return half_of(v);
}

/// The values of the columns of a lane.
template <class T, int PerLane>
class lane_group {
 public:
  static constexpr int size = PerLane;

  static DWELL_FN lane_group all(T v) {
    lane_group g;
    DWELL_UNROLL
    for (int i = 0; i < size; ++i) g.v_[i] = v;
    return g;
  }
  /// `size` elements from p on, as T has them.
  template <class Cell>
  static DWELL_FN lane_group load(const Cell* p) {
    return of([p](int i) { return widened<T>(p[i]); });
  }
  /// At a multiple of the bytes of so many cells: one load.
  template <class Cell>
  static DWELL_FN lane_group load_piece(const Cell* p) {
    const piece<Cell> cells = *reinterpret_cast<const piece<Cell>*>(p);
    return of([&](int i) { return widened<T>(cells.v[i]); });
  }
  template <class F>
  static DWELL_FN lane_group of(F&& element) {
    lane_group g;
    DWELL_UNROLL
    for (int i = 0; i < size; ++i) g.v_[i] = element(i);
    return g;
  }
  /// Likewise: one store.
  template <class Cell>
  DWELL_FN void store(Cell* p) const {
    piece<Cell> cells;
    DWELL_UNROLL
    for (int i = 0; i < size; ++i) cells.v[i] = as<Cell>(v_[i]);
    *reinterpret_cast<piece<Cell>*>(p) = cells;
  }
  template <class Cell>
  DWELL_FN void store_some(Cell* p, int first, int last) const {
    DWELL_UNROLL
    for (int i = 0; i < size; ++i)
      if (first <= i && i < last) p[i] = as<Cell>(v_[i]);
  }
  static DWELL_FN lane_group multiply_add(const lane_group& a, T w, const lane_group& c) {
    return of([&](int i) { return fused(a.v_[i], w, c.v_[i]); });
  }
  friend DWELL_FN lane_group operator+(const lane_group& a, const lane_group& b) {
    return of([&](int i) { return a.v_[i] + b.v_[i]; });
  }

  /// Every column gets the value of the one before, the first one `from_before`.
  DWELL_FN void take(T from_before) {
    DWELL_UNROLL
    for (int i = size - 1; i > 0; --i) v_[i] = v_[i - 1];
    v_[0] = from_before;
  }
  DWELL_FN T last() const { return v_[size - 1]; }

 private:
  static DWELL_FN float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
  static DWELL_FN double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
  /// What lies together in memory.
  template <class Cell>
  struct alignas(sizeof(Cell) * PerLane) piece {
    Cell v[PerLane];
  };
  template <class Cell>
  static DWELL_FN Cell as(T v) {
    if constexpr (std::is_same_v<Cell, T>)
      return v;
    else
      return rounded_to<Cell>(v);
  }
  T v_[PerLane];
};

/// The warp of the calling thread.
template <class T, int PerLane>
class row_warp {
 public:
  using group = lane_group<T, PerLane>;
  static constexpr int rows_copied_together = 8;
  static constexpr int columns = 32 * PerLane;
  static constexpr int piece = PerLane;

  struct row {
    group in;
    DWELL_FN group& operator[](int) { return in; }
    DWELL_FN void shift() { in.take(__shfl_up_sync(~0u, in.last(), 1)); }
  };

  template <class F>
  DWELL_FN void each(F&& f) {
    f(lane());
  }
  static DWELL_FN int column(int g) { return g * PerLane; }
  /// May groups at p and p + distance times anything be loaded and stored as pieces?
  template <class Cell>
  static DWELL_FN bool in_pieces(const Cell* p, std::ptrdiff_t distance) {
    return PerLane == 1 || (reinterpret_cast<std::size_t>(p) % (sizeof(Cell) * PerLane) == 0 &&
                            distance % PerLane == 0);
  }
  template <class Cell>
  static DWELL_FN T value(Cell v) {
    return widened<T>(v);
  }

  template <class F>
  DWELL_FN void items(int n, F&& f) {
    for (int i = lane(); i < n; i += 32) f(i);
  }
  template <int N, class F>
  static DWELL_FN void each_register(F&& f) {
    unrolled<0, N>(f);
  }
  static DWELL_FN void barrier() { __syncwarp(); }

 private:
  static DWELL_FN int lane() { return static_cast<int>(threadIdx.x) % 32; }
};

}  // namespace dwell::cuda
