// SPDX-License-Identifier: MIT
// Multiplication by 2^e for any e that two numbers of a format can differ by: 2^e itself need not
// be a double. Exact unless the result is too large or too small for its format.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"

namespace dwell {

class power_of_two {
 public:
  DWELL_HD explicit power_of_two(int exponent)
      : first_(std::ldexp(1.0, exponent / 2)), second_(std::ldexp(1.0, exponent - exponent / 2)) {}
  DWELL_HD double operator()(double v) const { return v * first_ * second_; }

 private:
  double first_, second_;
};

}  // namespace dwell
