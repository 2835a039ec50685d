// SPDX-License-Identifier: MIT
// Whether a number is neither infinite nor NaN, on devices too.
#pragma once
#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"

namespace dwell {

DWELL_HD bool is_finite(double v) { return v - v == 0.0; }
DWELL_HD bool is_finite(complex_value<double> v) { return is_finite(v.re) && is_finite(v.im); }

}  // namespace dwell
