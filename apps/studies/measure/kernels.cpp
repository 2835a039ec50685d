// SPDX-License-Identifier: MIT
// Loops are unrolled so that their own instructions are hidden behind what is measured.
#include "studies/measure/kernels.hpp"

#include <cmath>
#include <numeric>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace dwell::app::kernels {

namespace {

/// The compiler knows nothing of the value after this.
template <class T>
[[gnu::always_inline]] inline void hide(T& value) {
  asm volatile("" : "+r"(value));
}

using words = std::uint64_t __attribute__((vector_size(32)));

/// step() n times.
template <class Step>
[[gnu::always_inline]] inline void repeated(std::int64_t n, Step step) {
  std::int64_t k = 0;
  for (; k + 16 <= n; k += 16) {
    step(), step(), step(), step(), step(), step(), step(), step();
    step(), step(), step(), step(), step(), step(), step(), step();
  }
  for (; k < n; ++k) step();
}

#if defined(__AVX2__) && defined(__FMA__)
template <class T>
struct vector_of;
template <>
struct vector_of<double> {
  using type = __m256d;
  static type all(double v) { return _mm256_set1_pd(v); }
  static type fma(type x, type a, type b) { return _mm256_fmadd_pd(x, a, b); }
  static double first(type v) { return _mm256_cvtsd_f64(v); }
};
template <>
struct vector_of<float> {
  using type = __m256;
  static type all(float v) { return _mm256_set1_ps(v); }
  static type fma(type x, type a, type b) { return _mm256_fmadd_ps(x, a, b); }
  static float first(type v) { return _mm256_cvtss_f32(v); }
};
#else
template <class T>
struct vector_of {
  static constexpr int lanes = 32 / static_cast<int>(sizeof(T));
  struct type {
    T lane[lanes];
  };
  static type all(T v) {
    type out;
    for (T& lane : out.lane) lane = v;
    return out;
  }
  static type fma(type x, type a, type b) {
    for (int l = 0; l < lanes; ++l) x.lane[l] = std::fma(x.lane[l], a.lane[l], b.lane[l]);
    return x;
  }
  static T first(type v) { return v.lane[0]; }
};
#endif

}  // namespace

std::uint64_t read_words(const std::uint64_t* from, std::size_t n) {
  const auto* v = reinterpret_cast<const words*>(from);
  words a{}, b{}, c{}, d{};
  for (std::size_t k = 0; k < n / 4; k += 4) a += v[k], b += v[k + 1], c += v[k + 2], d += v[k + 3];
  a += b + c + d;
  return a[0] + a[1] + a[2] + a[3];
}

void copy_words(std::uint64_t* to, const std::uint64_t* from, std::size_t n) {
  auto* t = reinterpret_cast<words*>(to);
  const auto* f = reinterpret_cast<const words*>(from);
  for (std::size_t k = 0; k < n / 4; k += 4) {
    const words a = f[k], b = f[k + 1], c = f[k + 2], d = f[k + 3];
    t[k] = a, t[k + 1] = b, t[k + 2] = c, t[k + 3] = d;
  }
  asm volatile("" : : "r"(to) : "memory");
}

template <class T>
T std_sum(std::span<const T> v) {
  return std::reduce(v.begin(), v.end());
}

link* follow(link* from, std::int64_t loads) {
  repeated(loads, [&] {
    from = from->next;
    hide(from);
  });
  return from;
}

std::uint64_t add_chain(std::int64_t n) {
  // Adds two registers: an immediate operand may be added before the addition runs.
  std::uint64_t x = 1, y = 3;
  hide(y);
  repeated(n, [&] {
    x += y;
    hide(x);
  });
  return x;
}

template <class T>
T fma_chain(std::int64_t n) {
  volatile const T half = T(0.5);  // the compiler cannot know that nothing changes
  T x = 1;
  const T a = half, b = half;
  repeated(n, [&] { x = std::fma(x, a, b); });
  return x;
}

template <class T>
T fma_rounds(std::int64_t rounds) {
  using v = vector_of<T>;
  volatile const T half = T(0.5);
  const auto a = v::all(half), b = v::all(half);
  auto x0 = v::all(1), x1 = v::all(2), x2 = v::all(3), x3 = v::all(4), x4 = v::all(5),
       x5 = v::all(6), x6 = v::all(7), x7 = v::all(8), x8 = v::all(9), x9 = v::all(10),
       x10 = v::all(11), x11 = v::all(12);
  for (std::int64_t k = 0; k < rounds; ++k) {
    x0 = v::fma(x0, a, b), x1 = v::fma(x1, a, b), x2 = v::fma(x2, a, b), x3 = v::fma(x3, a, b);
    x4 = v::fma(x4, a, b), x5 = v::fma(x5, a, b), x6 = v::fma(x6, a, b), x7 = v::fma(x7, a, b);
    x8 = v::fma(x8, a, b), x9 = v::fma(x9, a, b), x10 = v::fma(x10, a, b), x11 = v::fma(x11, a, b);
  }
  const T sum = v::first(x0) + v::first(x1) + v::first(x2) + v::first(x3) + v::first(x4) +
                v::first(x5) + v::first(x6) + v::first(x7) + v::first(x8) + v::first(x9) +
                v::first(x10) + v::first(x11);
  return sum;
}

template double std_sum(std::span<const double>);
template float std_sum(std::span<const float>);
template double fma_chain(std::int64_t);
template float fma_chain(std::int64_t);
template double fma_rounds(std::int64_t);
template float fma_rounds(std::int64_t);

}  // namespace dwell::app::kernels
