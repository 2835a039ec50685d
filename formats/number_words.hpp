// SPDX-License-Identifier: MIT
// Private to formats: values of matrices, real or complex, as messages have them.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <string>

namespace dwell::numbers {

template <class T>
bool is_finite(T v) {
  return std::isfinite(v);
}
template <class R>
bool is_finite(std::complex<R> v) {
  return std::isfinite(v.real()) && std::isfinite(v.imag());
}

/// "1.5", "2-0.5i".
template <class T>
std::string words_of(T v) {
  return fmt::format("{}", v);
}
template <class R>
std::string words_of(std::complex<R> v) {
  return fmt::format("{}{:+}i", v.real(), v.imag());
}

}  // namespace dwell::numbers
