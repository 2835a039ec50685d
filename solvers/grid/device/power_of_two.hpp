// SPDX-License-Identifier: MIT
// Multiplication by a power of two whose exponent may be large.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"

namespace dwell::grids {

/// 2^e, in three steps: the power itself may be beyond the format where products with it are not.
template <class T>
struct power_of_two {
  T third, rest;  ///< normal numbers, by which 0 stays 0
  DWELL_HD explicit power_of_two(int e)
      : third(static_cast<T>(ldexp(1.0, e / 3))), rest(static_cast<T>(ldexp(1.0, e - e / 3 * 2))) {}
  DWELL_HD T operator*(T v) const { return v * third * third * rest; }
};

}  // namespace dwell::grids
