// SPDX-License-Identifier: MIT
// Arithmetic of cells that has the same bits wherever it is compiled: by a host compiler, by nvcc
// and, as text, by NVRTC. The functions are made of additions, multiplications, divisions and fused
// multiply-adds alone, none of a mathematical library, and do not branch, so that loops over cells
// become vectors. The text stands by itself: it is handed to compilers that have no headers.
//
// Errors, in units in the last place of the result (tests/execution/stencil/test_cell_math.cpp):
// exp, log, sin, cos and tanh at most 1.5 for every argument, denormal ones included. sin and cos
// take arguments up to 2^45 (f32: 2^22), where neighbouring numbers are 1/128 (1/2) apart; beyond
// it the result is NaN. Polynomials interpolate at Chebyshev's nodes, computed with 60 digits.
#pragma once
#include "dwell/base/fn.hpp"

/// In the place of its call: a loop over cells that calls a function does not become vectors.
#if defined(__CUDACC__)
#define DWELL_CELL_MATH DWELL_HD
#else
#define DWELL_CELL_MATH [[gnu::always_inline]] inline
#endif

namespace dwell::cell_math {

/// A number as the bits of its format, and what functions need to know of the format.
template <class T>
struct number_format;

/// f64.
template <>
struct number_format<double> {
  using word = unsigned long long;               ///< unsigned, as wide as the number
  static constexpr int digits = 52;              ///< stored bits of the significand
  static constexpr word bias = 1023;             ///< added to the exponent
  static constexpr word one = 0x3ff0ull << 48;   ///< the number 1
  static constexpr word sign = 0x8000ull << 48;  ///< its bit
  static constexpr double shift = 0x1.8p52;      ///< added to a number, rounds it to an integer
  /// The bits of a number.
  DWELL_HD static word bits(double x) {
#if defined(__CUDA_ARCH__)
    return static_cast<word>(__double_as_longlong(x));
#else
    return __builtin_bit_cast(word, x);
#endif
  }
  /// The number of these bits.
  DWELL_HD static double number(word b) {
#if defined(__CUDA_ARCH__)
    return __longlong_as_double(static_cast<long long>(b));
#else
    return __builtin_bit_cast(double, b);
#endif
  }
};

/// f32.
template <>
struct number_format<float> {
  using word = unsigned;                     ///< unsigned, as wide as the number
  static constexpr int digits = 23;          ///< stored bits of the significand
  static constexpr word bias = 127;          ///< added to the exponent
  static constexpr word one = 0x3f800000;    ///< the number 1
  static constexpr word sign = 1u << 31;     ///< its bit
  static constexpr float shift = 0x1.8p23f;  ///< added to a number, rounds it to an integer
  /// The bits of a number.
  DWELL_HD static word bits(float x) {
#if defined(__CUDA_ARCH__)
    return __float_as_uint(x);
#else
    return __builtin_bit_cast(word, x);
#endif
  }
  /// The number of these bits.
  DWELL_HD static float number(word b) {
#if defined(__CUDA_ARCH__)
    return __uint_as_float(b);
#else
    return __builtin_bit_cast(float, b);
#endif
  }
};

#if defined(__CUDA_ARCH__)
/// a * b + c, rounded once.
DWELL_HD double fma(double a, double b, double c) { return ::fma(a, b, c); }
DWELL_HD float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
/// Correctly rounded.
DWELL_HD double sqrt(double x) { return ::sqrt(x); }
DWELL_HD float sqrt(float x) { return ::sqrtf(x); }
/// The greatest integer that is not greater.
DWELL_HD double floor(double x) { return ::floor(x); }
DWELL_HD float floor(float x) { return ::floorf(x); }
/// Without its sign.
DWELL_HD double abs(double x) { return ::fabs(x); }
DWELL_HD float abs(float x) { return ::fabsf(x); }
#else
/// a * b + c, rounded once.
DWELL_CELL_MATH double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
/// a * b + c in f32, rounded once.
DWELL_CELL_MATH float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
/// Correctly rounded.
DWELL_CELL_MATH double sqrt(double x) { return __builtin_sqrt(x); }
/// The square root in f32.
DWELL_CELL_MATH float sqrt(float x) { return __builtin_sqrtf(x); }
/// The greatest integer that is not greater.
DWELL_CELL_MATH double floor(double x) { return __builtin_floor(x); }
/// The greatest whole number not above x, in f32.
DWELL_CELL_MATH float floor(float x) { return __builtin_floorf(x); }
/// Without its sign.
DWELL_CELL_MATH double abs(double x) { return __builtin_fabs(x); }
/// The absolute value in f32.
DWELL_CELL_MATH float abs(float x) { return __builtin_fabsf(x); }
#endif

/// The lesser number; NaN if either is; b where both are zero.
template <class T>
DWELL_CELL_MATH T min(T a, T b) {
  return ((a < b) | (a != a)) ? a : b;
}
/// The greater number; NaN if either is; b where both are zero.
template <class T>
DWELL_CELL_MATH T max(T a, T b) {
  return ((a > b) | (a != a)) ? a : b;
}

/// Infinity.
template <class T>
DWELL_HD T infinity() {
  using format = number_format<T>;
  return format::number(((format::bias << 1) + 1) << format::digits);
}
/// A quiet NaN.
template <class T>
DWELL_HD T not_a_number() {
  using format = number_format<T>;
  return format::number((((format::bias << 2) + 3) << (format::digits - 1)));
}

namespace detail {

/// c[0] + c[1] x + ... + c[N - 1] x^(N - 1) by Horner's rule.
template <class T, int N>
DWELL_CELL_MATH T polynomial(T x, const T (&c)[N]) {
  T sum = c[N - 1];
  DWELL_UNROLL
  for (int k = N - 2; k >= 0; --k) sum = fma(sum, x, c[k]);
  return sum;
}

/// 2^n, where `shifted` is n + shift and 2^n is a normal number.
template <class T>
DWELL_CELL_MATH T power_of_two(T shifted) {
  using format = number_format<T>;
  return format::number((format::bits(shifted) + format::bias) << format::digits);
}

/// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2.
DWELL_CELL_MATH double exp_tail(double r) {
  const double c[] = {0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555556p-5,
                      0x1.1111111110085p-7,  0x1.6c16c16c162a3p-10, 0x1.a01a01ac16f76p-13,
                      0x1.a01a01a6f35fbp-16, 0x1.71de019d031e7p-19, 0x1.27e4db0f8a3efp-22,
                      0x1.af4f1ddf981a8p-26, 0x1.1f73b376c0f55p-29};
  return polynomial(r, c);
}
DWELL_CELL_MATH float exp_tail(float r) {
  const float c[] = {0x1.000000p-1f, 0x1.555556p-3f,  0x1.5554e8p-5f,
                     0x1.1110e0p-7f, 0x1.6d44b2p-10f, 0x1.a12652p-13f};
  return polynomial(r, c);
}

/// y = n ln(2) + r + rest: n as n + shift, and r to about twice T's digits.
template <class T>
struct exp_argument {
  T shifted, n, r, rest;
};
DWELL_CELL_MATH exp_argument<double> reduce_exp(double y) {
  const double shifted = fma(y, 0x1.71547652b82fep+0, number_format<double>::shift);
  const double n = shifted - number_format<double>::shift;
  const double high = fma(-n, 0x1.62e42fefa39efp-1, y), low = n * -0x1.abc9e3b39803fp-56;
  const double r = high + low;
  return {shifted, n, r, (high - r) + low};
}
DWELL_CELL_MATH exp_argument<float> reduce_exp(float y) {
  const float shifted = fma(y, 0x1.715476p+0f, number_format<float>::shift);
  const float n = shifted - number_format<float>::shift;
  const float high = fma(-n, 0x1.62e430p-1f, y), low = n * 0x1.05c610p-29f;
  const float r = high + low;
  return {shifted, n, r, (high - r) + low};
}

/// Beyond these exp is infinite, or rounds to zero.
DWELL_HD double exp_most(double) { return 710; }
DWELL_HD float exp_most(float) { return 89; }
DWELL_HD double exp_least(double) { return -746; }
DWELL_HD float exp_least(float) { return -105; }

/// What log(m) needs, z = ((m - 1) / (m + 1))^2: (log(m) / ((m - 1) / (m + 1)) - 2) / z.
DWELL_CELL_MATH double log_tail(double z) {
  const double c[] = {0x1.5555555555558p-1, 0x1.999999999523ep-2, 0x1.2492492e03734p-2,
                      0x1.c71c62ce599c7p-3, 0x1.7462bb40a0181p-3, 0x1.39fd85b6dc092p-3,
                      0x1.2b62d7ad6afd1p-3};
  return polynomial(z, c);
}
DWELL_CELL_MATH float log_tail(float z) {
  const float c[] = {0x1.555556p-1f, 0x1.9999ecp-2f, 0x1.245c1ap-2f, 0x1.ddd7c2p-3f};
  return polynomial(z, c);
}
/// ln(2) in two parts; an exponent times the first one is exact.
template <class T>
struct ln2_parts {
  T high, low;
};
DWELL_HD ln2_parts<double> ln2(double) { return {0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45}; }
DWELL_HD ln2_parts<float> ln2(float) { return {0x1.62e4p-1f, 0x1.7f7d1cp-20f}; }
/// The bits of the square root of 1/2, the least normal number, and a power of two that makes every
/// denormal number normal, with its exponent.
DWELL_HD unsigned long long root_half(double) { return 0x3fe6a09e667f3bcdull; }
DWELL_HD unsigned root_half(float) { return 0x3f3504f3u; }
DWELL_HD double least_normal(double) { return 0x1p-1022; }
DWELL_HD float least_normal(float) { return 0x1p-126f; }
DWELL_HD double lift(double) { return 0x1p54; }
DWELL_HD float lift(float) { return 0x1p25f; }
DWELL_HD double lift_exponent(double) { return 54; }
DWELL_HD float lift_exponent(float) { return 25; }

/// x = n pi/2 + r + rest with |r| <= pi/4 and a little more; the last bits of `shifted` are n's.
template <class T>
struct circle_argument {
  T shifted, r, rest;
};
/// The parts of pi/2 are as wide as T. The first product and difference are exact, since what is
/// left of the argument has no more digits than T.
template <class T>
DWELL_CELL_MATH circle_argument<T> reduce_circle(T x, T shifted, T n, T first, T second, T third) {
  const T high = fma(-n, first, x);
  const T product = n * second, product_rest = fma(n, second, -product);
  const T sum = high - product, part = sum - high;
  const T sum_rest = (high - (sum - part)) - (product + part);
  const T low = fma(-n, third, sum_rest - product_rest);
  const T r = sum + low;
  return {shifted, r, (sum - r) + low};
}
DWELL_CELL_MATH circle_argument<double> reduce_circle(double x) {
  constexpr double shift = number_format<double>::shift;
  const double shifted = fma(x, 0x1.45f306dc9c883p-1, shift);
  return reduce_circle(x, shifted, shifted - shift, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                       -0x1.f1976b7ed8fbcp-110);
}
/// A large argument's n may be wrong by one, which the remainder tells.
DWELL_CELL_MATH circle_argument<float> reduce_circle(float x) {
  constexpr float shift = number_format<float>::shift;
  const float near = fma(x, 0x1.45f306p-1f, shift) - shift;
  const float left = fma(-near, 0x1.921fb6p+0f, x);
  const float more = fma(left, 0x1.45f306p-1f, shift) - shift;
  const float shifted = (near + more) + shift;
  return reduce_circle(x, shifted, shifted - shift, 0x1.921fb6p+0f, -0x1.777a5cp-25f,
                       -0x1.ee59dap-50f);
}
/// The largest arguments of sin and cos, and below what sin(x) is x.
DWELL_HD double circle_most(double) { return 0x1p45; }
DWELL_HD float circle_most(float) { return 0x1p22f; }
DWELL_HD double circle_least(double) { return 0x1p-27; }
DWELL_HD float circle_least(float) { return 0x1p-13f; }

/// (sin(r) / r - 1) / z for z = r^2, and (cos(r) - 1 + z / 2) / z^2.
DWELL_CELL_MATH double sin_tail(double z) {
  const double c[] = {-0x1.5555555555555p-3, 0x1.1111111110b3ap-7,   -0x1.a01a019e6792fp-13,
                      0x1.71de37726a2a5p-19, -0x1.ae5fe5ae91a2ep-26, 0x1.5dfdc45fbe6b5p-33};
  return polynomial(z, c);
}
DWELL_CELL_MATH float sin_tail(float z) {
  const float c[] = {-0x1.555556p-3f, 0x1.11110ep-7f, -0x1.a01370p-13f, 0x1.6dac4cp-19f};
  return polynomial(z, c);
}
DWELL_CELL_MATH double cos_tail(double z) {
  const double c[] = {0x1.5555555555555p-5,   -0x1.6c16c16c1692bp-10, 0x1.a01a019f40a0cp-16,
                      -0x1.27e4fa05c5c08p-22, 0x1.1eeb563aa2d79p-29,  -0x1.90704a8d002b1p-37};
  return polynomial(z, c);
}
DWELL_CELL_MATH float cos_tail(float z) {
  const float c[] = {0x1.555554p-5f, -0x1.6c12b0p-10f, 0x1.9bc650p-16f};
  return polynomial(z, c);
}

/// The sine of x, or with `quarter` 1 its cosine.
template <class T>
DWELL_CELL_MATH T circle(T x, typename number_format<T>::word quarter) {
  using format = number_format<T>;
  const circle_argument<T> a = reduce_circle(x);
  const T z = a.r * a.r;
  const T sine = a.r + fma(a.r * z, sin_tail(z), a.rest);
  const T half = T(0.5) * z, whole = T(1) - half;
  const T cosine = whole + (((T(1) - whole) - half) + fma(z * z, cos_tail(z), -(a.r * a.rest)));
  const auto turn = format::bits(a.shifted) + quarter;
  const T value = (turn & 1) != 0 ? cosine : sine;
  const T turned = format::number(format::bits(value) ^ ((turn & 2) != 0 ? format::sign : 0));
  return abs(x) <= circle_most(x) ? turned : not_a_number<T>();
}

}  // namespace detail

/// e to the x.
template <class T>
DWELL_CELL_MATH T exp(T x) {
  constexpr T shift = number_format<T>::shift;
  T y = x > detail::exp_most(x) ? detail::exp_most(x) : x;
  y = y < detail::exp_least(x) ? detail::exp_least(x) : y;
  const auto a = detail::reduce_exp(y);
  const T value = T(1) + (a.r + fma(a.r * a.r, detail::exp_tail(a.r), a.rest));
  const T shifted = fma(a.n, T(0.5), shift), half = shifted - shift;
  return (value * detail::power_of_two(shifted)) * detail::power_of_two((a.n - half) + shift);
}

/// The natural logarithm; NaN of what is less than 0.
template <class T>
DWELL_CELL_MATH T log(T x) {
  using format = number_format<T>;
  using word = typename format::word;
  const bool denormal = x < detail::least_normal(x);
  const T y = denormal ? x * detail::lift(x) : x;
  const word root = detail::root_half(x), moved = format::bits(y) + (format::one - root);
  const word digits = (word(1) << format::digits) - 1;
  const T m = format::number((moved & digits) + root);
  // An exponent in the last digits of 2^digits.
  const word base = (format::bias + word(format::digits)) << format::digits;
  const T exponent =
      format::number(base | (moved >> format::digits)) - (format::number(base) + T(format::bias));
  const T k = denormal ? exponent - detail::lift_exponent(x) : exponent;
  const T f = m - T(1), s = f / (T(2) + f), z = s * s, half = T(0.5) * f * f;
  const auto ln2 = detail::ln2(x);
  const T whole = k * ln2.high, sum = whole + f, rest = (whole - sum) + f;
  const T tail = fma(k, ln2.low, s * fma(z, detail::log_tail(z), half));
  const T value = sum + (rest + (tail - half));
  const T above = x == infinity<T>() ? x : value;
  const T below = x == T(0) ? -infinity<T>() : above;
  return (x >= T(0)) ? below : not_a_number<T>();
}

/// The sine of x, in radians; NaN beyond 2^45 (f32: 2^22).
template <class T>
DWELL_CELL_MATH T sin(T x) {
  const T value = detail::circle(x, 0);
  return abs(x) < detail::circle_least(x) ? x : value;
}

/// The cosine of x, in radians; NaN beyond 2^45 (f32: 2^22).
template <class T>
DWELL_CELL_MATH T cos(T x) {
  return detail::circle(x, 1);
}

/// The hyperbolic tangent.
template <class T>
DWELL_CELL_MATH T tanh(T x) {
  using format = number_format<T>;
  // (e - 1) / (e + 1) for e = exp(2 |x|); e - 1 and e + 1 in two parts each.
  const T twice = T(2) * abs(x), y = twice > T(44) ? T(44) : twice;
  const auto a = detail::reduce_exp(y);
  const T tail = fma(a.r * a.r, detail::exp_tail(a.r), a.rest);
  const T p = a.r + tail, p_rest = (a.r - p) + tail;
  const T scale = detail::power_of_two(a.shifted), whole = scale - T(1), part = scale * p;
  const T up = whole + part, up_rest = fma(scale, p_rest, (whole - up) + part);
  const T down = up + T(2);
  const T down_rest = (up > T(2) ? (up - down) + T(2) : (T(2) - down) + up) + up_rest;
  const T inverse = T(1) / down, quotient = up * inverse;
  const T left = fma(-quotient, down, up);
  const T value = quotient + (fma(-quotient, down_rest, left + up_rest)) * inverse;
  return format::number(format::bits(value) | (format::bits(x) & format::sign));
}

}  // namespace dwell::cell_math
