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
      : third_(std::ldexp(1.0, exponent / 3)),
        rest_(std::ldexp(1.0, exponent - exponent / 3 * 2)) {}
  DWELL_HD double operator()(double v) const { return v * third_ * third_ * rest_; }

 private:
  double third_, rest_;  ///< normal numbers, up to exponents of 2097
};

}  // namespace dwell
