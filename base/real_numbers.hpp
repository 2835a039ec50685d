// SPDX-License-Identifier: MIT
// What a text for real and for complex values asks of a number (dwell/base/complex_value.hpp), of
// real ones.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"

namespace dwell {

DWELL_HD double conjugate(double v) { return v; }
DWELL_HD double size_of(double v) { return std::fabs(v); }
DWELL_HD double square_of(double v) { return v * v; }
DWELL_HD double quotient(double a, double b) { return a / b; }
DWELL_HD void add_square(double v, double& sum) { sum = std::fma(v, v, sum); }
DWELL_HD void add_product(double a, double b, double* sum) { *sum = std::fma(a, b, *sum); }

}  // namespace dwell
