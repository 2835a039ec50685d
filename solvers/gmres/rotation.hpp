// SPDX-License-Identifier: MIT
// The rotation (c s; -conj(s) c) of a real c that takes (left, below) to (length, 0), for a real
// `below`; of a complex `left` the length has its angle.
#pragma once
#include <cmath>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"

namespace dwell {

/// Returns the length. A column of zeros leaves the residual.
DWELL_FN double make_rotation(double left, double below, double& cosine, double& sine) {
  const double length = std::sqrt(left * left + below * below);
  cosine = length > 0.0 ? left / length : 0.0;
  sine = length > 0.0 ? below / length : 1.0;
  return length;
}
DWELL_FN complex_value<double> make_rotation(complex_value<double> left, double below,
                                             double& cosine, complex_value<double>& sine) {
  using number = complex_value<double>;
  const double size = size_of(left), length = std::sqrt(std::fma(size, size, below * below));
  const number unit = size > 0.0 ? number(left.re / size, left.im / size) : number(1.0);
  cosine = length > 0.0 ? size / length : 0.0;
  sine = (length > 0.0 ? below / length : 1.0) * unit;
  return length * unit;
}

}  // namespace dwell
