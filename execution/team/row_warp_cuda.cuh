// SPDX-License-Identifier: MIT
// A warp whose lanes hold neighbouring columns of a row, on a GPU: PerLane of them in the registers
// of each lane. Between two columns of a lane a value moves by renaming, between two lanes by a
// shuffle: one of PerLane moves.
#pragma once
#include "dwell/base/cell_piece.hpp"
#include "dwell/base/fn.hpp"

namespace dwell::cuda {

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
  static DWELL_FN lane_group load(const T* p) {
    return of([p](int i) { return p[i]; });
  }
  /// At a multiple of the group's bytes.
  static DWELL_FN lane_group load_piece(const T* p) {
    return *reinterpret_cast<const lane_group*>(p);
  }
  template <class F>
  static DWELL_FN lane_group of(F&& element) {
    lane_group g;
    DWELL_UNROLL
    for (int i = 0; i < size; ++i) g.v_[i] = element(i);
    return g;
  }
  DWELL_FN void store(T* p) const { *reinterpret_cast<lane_group*>(p) = *this; }
  DWELL_FN void store_some(T* p, int first, int last) const {
    DWELL_UNROLL
    for (int i = 0; i < size; ++i)
      if (first <= i && i < last) p[i] = v_[i];
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
  alignas(sizeof(T) * PerLane) T v_[PerLane];
};

/// The warp of the calling thread.
template <class T, int PerLane>
class row_warp {
 public:
  using group = lane_group<T, PerLane>;
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
  static DWELL_FN bool in_pieces(const T* p, std::ptrdiff_t distance) {
    return PerLane == 1 ||
           (reinterpret_cast<std::size_t>(p) % sizeof(group) == 0 && distance % PerLane == 0);
  }

  template <class F>
  DWELL_FN void items(int n, F&& f) {
    for (int i = lane(); i < n; i += 32) f(i);
  }
  template <int N, class F>
  static DWELL_FN void each_register(F&& f) {
    unrolled<0, N>(f);
  }
  static DWELL_FN void meet() { __syncwarp(); }

 private:
  static DWELL_FN int lane() { return static_cast<int>(threadIdx.x) % 32; }
};

}  // namespace dwell::cuda
