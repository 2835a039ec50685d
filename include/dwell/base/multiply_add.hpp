// SPDX-License-Identifier: MIT
// The fused multiply-add of either precision, on devices and hosts alike.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"

namespace dwell {

/// Fused multiply-add in T's own precision.
DWELL_HD double multiply_add(double a, double b, double c) { return std::fma(a, b, c); }
/// Fused multiply-add in T's own precision.
DWELL_HD float multiply_add(float a, float b, float c) { return std::fma(a, b, c); }

}  // namespace dwell
