// SPDX-License-Identifier: MIT
// A complex number as kernels have it, on devices and hosts alike: two numbers side by side, as in
// std::complex, which code for devices does without. Products are two multiplications and two fused
// ones, in the order written here, so that every executor has the same bits.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/base/multiply_add.hpp"

namespace dwell {

/// R: double or float.
template <class R>
struct alignas(2 * sizeof(R)) complex_value {
  R re;  ///< the real part
  R im;  ///< the imaginary part

  complex_value() = default;
  /// A real number, or both parts.
  DWELL_HD constexpr complex_value(R real, R imaginary = R(0)) : re(real), im(imaginary) {}
  /// From the other precision.
  template <class S>
  DWELL_HD explicit constexpr complex_value(const complex_value<S>& v)
      : re(static_cast<R>(v.re)), im(static_cast<R>(v.im)) {}

  /// Adds another one.
  DWELL_HD complex_value& operator+=(complex_value v) {
    re += v.re;
    im += v.im;
    return *this;
  }
  /// Subtracts another one.
  DWELL_HD complex_value& operator-=(complex_value v) {
    re -= v.re;
    im -= v.im;
    return *this;
  }
  friend DWELL_HD complex_value operator+(complex_value a, complex_value b) { return a += b; }
  friend DWELL_HD complex_value operator-(complex_value a, complex_value b) { return a -= b; }
  friend DWELL_HD complex_value operator-(complex_value a) { return {-a.re, -a.im}; }
  friend DWELL_HD complex_value operator*(R a, complex_value b) { return {a * b.re, a * b.im}; }
  friend DWELL_HD complex_value operator*(complex_value a, complex_value b) {
    return {std::fma(a.re, b.re, -(a.im * b.im)), std::fma(a.re, b.im, a.im * b.re)};
  }
};

/// The number with the opposite imaginary part.
template <class R>
DWELL_HD complex_value<R> conjugate(complex_value<R> v) {
  return {v.re, -v.im};
}
/// |v|^2.
DWELL_HD double square_of(complex_value<double> v) { return std::fma(v.re, v.re, v.im * v.im); }
/// By scaling, so that no square leaves the range of a double.
DWELL_HD double size_of(complex_value<double> v) {
  const double most = std::fmax(std::fabs(v.re), std::fabs(v.im));
  if (!(most > 0.0) || most - most != 0.0) return most;
  const double a = v.re / most, b = v.im / most;
  return most * std::sqrt(std::fma(a, a, b * b));
}
/// a / b, by Smith's algorithm (Comm. ACM 5, 1962); of a zero b not finite.
DWELL_HD complex_value<double> quotient(complex_value<double> a, complex_value<double> b) {
  const bool steep = std::fabs(b.im) > std::fabs(b.re);
  const double large = steep ? b.im : b.re, small = steep ? b.re : b.im;
  const double ratio = small / large, by = std::fma(small, ratio, large);
  if (steep) return {std::fma(a.re, ratio, a.im) / by, std::fma(a.im, ratio, -a.re) / by};
  return {std::fma(a.im, ratio, a.re) / by, std::fma(-a.re, ratio, a.im) / by};
}

/// a b + c.
template <class R>
DWELL_HD complex_value<R> multiply_add(complex_value<R> a, complex_value<R> b, complex_value<R> c) {
  return {std::fma(-a.im, b.im, std::fma(a.re, b.re, c.re)),
          std::fma(a.im, b.re, std::fma(a.re, b.im, c.im))};
}
/// a b + c, of a real a.
template <class R>
DWELL_HD complex_value<R> multiply_add(R a, complex_value<R> b, complex_value<R> c) {
  return {std::fma(a, b.re, c.re), std::fma(a, b.im, c.im)};
}
/// Adds |v|^2 to a sum.
template <class R>
DWELL_HD void add_square(complex_value<R> v, double& sum) {
  const double re = v.re, im = v.im;
  sum = std::fma(re, re, sum);
  sum = std::fma(im, im, sum);
}
/// Adds conj(a) b to two sums, of the real and of the imaginary parts.
template <class R>
DWELL_HD void add_product(complex_value<R> a, complex_value<R> b, double* sum) {
  const double ar = a.re, ai = a.im, br = b.re, bi = b.im;
  sum[0] = std::fma(ai, bi, std::fma(ar, br, sum[0]));
  sum[1] = std::fma(-ai, br, std::fma(ar, bi, sum[1]));
}

/// The type of a part of a number: R of complex_value<R>, else T itself.
template <class T>
struct part_of_number {
  using type = T;  ///< a real number is its only part
};
/// Parts of a complex number.
template <class R>
struct part_of_number<complex_value<R>> {
  using type = R;  ///< double or float
};
/// In short.
template <class T>
using part_type = typename part_of_number<T>::type;
/// Whether a type is a complex_value.
template <class T>
inline constexpr bool is_complex_value = false;
/// It is.
template <class R>
inline constexpr bool is_complex_value<complex_value<R>> = true;

}  // namespace dwell
