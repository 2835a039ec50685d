// SPDX-License-Identifier: MIT
// A warp whose lanes hold neighbouring columns of a row, on a CPU: lanes are the elements of SIMD
// registers, several registers a group, and a thread takes the groups in turn. What moves from a
// lane to the next is what the shuffles of row_warp_cuda.cuh move, with the same members.
#pragma once
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

#include "dwell/base/half.hpp"

namespace dwell::cpu {

/// A cell of an image as sums have it: exact.
template <class T, class Cell>
T widened(Cell v) {
  return static_cast<T>(v);
}
/// A sum as a cell of an image: the nearest, of two as near the even one, and of 8 bits cut off at
/// 0 and 255, NaN to 0.
template <class Cell>
Cell rounded_to(float v) {
  if constexpr (std::is_same_v<Cell, std::uint8_t>) {
    const float within = v > 0 ? v < 255 ? v : 255 : 0;  // NaN is not above 0
    return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(within + 0x1p23f));
  } else {
    return Cell(v);
  }
}

#if defined(__AVX2__) && defined(__FMA__)
template <class T>
inline constexpr int simd_size = 32 / static_cast<int>(sizeof(T));
/// A SIMD register of 32 bytes.
inline __m256 simd_all(float v) { return _mm256_set1_ps(v); }
inline __m256d simd_all(double v) { return _mm256_set1_pd(v); }
inline __m256 simd_load(const float* p) { return _mm256_loadu_ps(p); }
inline __m256d simd_load(const double* p) { return _mm256_loadu_pd(p); }
inline __m256 simd_load(const std::uint8_t* p) {
  return _mm256_cvtepi32_ps(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
inline void simd_store(float* p, __m256 v) { _mm256_storeu_ps(p, v); }
inline void simd_store(double* p, __m256d v) { _mm256_storeu_pd(p, v); }
inline __m256 simd_fma(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
inline __m256d simd_fma(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
inline __m256 simd_add(__m256 a, __m256 b) { return _mm256_add_ps(a, b); }
inline __m256d simd_add(__m256d a, __m256d b) { return _mm256_add_pd(a, b); }
#if defined(__F16C__)
inline __m256 simd_load(const half* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
#else
inline __m256 simd_load(const half* p) {
  float v[simd_size<float>];
  for (int i = 0; i < simd_size<float>; ++i) v[i] = widened<float>(p[i]);
  return simd_load(v);
}
#endif
#else
/// One element: what any processor has. The compiler may make registers of several.
template <class T>
T simd_all(T v) {
  return v;
}
inline float simd_load(const float* p) { return *p; }
inline double simd_load(const double* p) { return *p; }
inline float simd_load(const std::uint8_t* p) { return widened<float>(*p); }
inline float simd_load(const half* p) { return widened<float>(*p); }
template <class T>
void simd_store(T* p, T v) {
  *p = v;
}
template <class T>
T simd_fma(T a, T b, T c) {
  return std::fma(a, b, c);
}
template <class T>
T simd_add(T a, T b) {
  return a + b;
}
template <class T>
inline constexpr int simd_size = 1;
#endif

/// The values of the lanes of a group, two registers of 32 bytes: with four sums of each, as many
/// independent chains as keep the multiply-adds of a core busy.
template <class T>
class lane_group {
 public:
  static constexpr int size = 64 / static_cast<int>(sizeof(T));

  static lane_group all(T v) {
    lane_group g;
    for (int r = 0; r < registers; ++r) g.in_[r] = simd_all(v);
    return g;
  }
  /// `size` elements from p on, as T has them.
  template <class Cell>
  static lane_group load(const Cell* p) {
    lane_group g;
    for (int r = 0; r < registers; ++r) g.in_[r] = simd_load(p + r * simd_size<T>);
    return g;
  }
  template <class Cell>
  static lane_group load_piece(const Cell* p) {
    return load(p);
  }
  /// element(i) in place i.
  template <class F>
  static lane_group of(F&& element) {
    T v[size];
    for (int i = 0; i < size; ++i) v[i] = element(i);
    return load(v);
  }
  void store(T* p) const {
    for (int r = 0; r < registers; ++r) simd_store(p + r * simd_size<T>, in_[r]);
  }
  template <class Cell>
  void store(Cell* p) const {
    store_some(p, 0, size);
  }
  /// Elements first to last - 1 to p[first] and on.
  template <class Cell>
  void store_some(Cell* p, int first, int last) const {
    T v[size];
    store(v);
    for (int i = first; i < last; ++i)
      if constexpr (std::is_same_v<Cell, T>)
        p[i] = v[i];
      else
        p[i] = rounded_to<Cell>(v[i]);
  }
  /// a * w + c, rounded once.
  static lane_group multiply_add(const lane_group& a, T w, const lane_group& c) {
    lane_group g;
    const auto all = simd_all(w);
    for (int r = 0; r < registers; ++r) g.in_[r] = simd_fma(a.in_[r], all, c.in_[r]);
    return g;
  }
  friend lane_group operator+(const lane_group& a, const lane_group& b) {
    lane_group g;
    for (int r = 0; r < registers; ++r) g.in_[r] = simd_add(a.in_[r], b.in_[r]);
    return g;
  }

 private:
  static constexpr int registers = size / simd_size<T>;
  decltype(simd_all(T())) in_[registers];
};

template <class T, int Groups>
class row_warp {
 public:
  using group = lane_group<T>;
  static constexpr int rows_copied_together = 1;
  static constexpr int columns = Groups * group::size;
  static constexpr int piece =
      16 / static_cast<int>(sizeof(T));  ///< a GPU's lane has as many: tiles lie alike

  /// A value for each column.
  struct row {
    group in[Groups];
    group& operator[](int g) { return in[g]; }
    /// Column j gets the value of column j - 1; that of column 0 is of no use afterwards.
    void shift() {
      T v[columns + 1];
      v[0] = T(0);
      for (int g = 0; g < Groups; ++g) in[g].store(v + 1 + g * group::size);
      for (int g = 0; g < Groups; ++g) in[g] = group::load(v + g * group::size);
    }
  };

  explicit row_warp(bool reversed) : reversed_(reversed) {}

  /// f(g) for each group of the warp; the groups do not meet afterwards.
  template <class F>
  void each(F&& f) {
    for (int k = 0; k < Groups; ++k) f(reversed_ ? Groups - 1 - k : k);
  }
  /// The column of the first element of a group.
  static int column(int g) { return g * group::size; }
  /// Groups may be loaded and stored at any element.
  template <class Cell>
  static constexpr bool in_pieces(const Cell*, std::ptrdiff_t) {
    return true;
  }
  template <class Cell>
  static T value(Cell v) {
    return widened<T>(v);
  }

  /// f(i) for i from 0 to n - 1, by any lane.
  template <class F>
  void items(int n, F&& f) {
    if (reversed_)
      for (int i = n - 1; i >= 0; --i) f(i);
    else
      for (int i = 0; i < n; ++i) f(i);
  }
  /// f(n) for n from 0 to N - 1, where rows number n are registers of a GPU, which have no numbers
  /// at run time. Here they are memory.
  template <int N, class F>
  static void each_register(F&& f) {
    for (int n = 0; n < N; ++n) f(n);
  }

  /// The lanes meet: what one has written before, others read after.
  static void barrier() {}

 private:
  bool reversed_;
};

}  // namespace dwell::cpu
