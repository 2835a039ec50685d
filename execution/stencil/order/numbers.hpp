// SPDX-License-Identifier: MIT
// The numbers behind the name of an order, as in "tiles:32x8": width, height and depth of its
// blocks, x first, since columns have a width only.
#pragma once

namespace dwell {

/// Those that were given; what was not is 0.
struct order_numbers {
  int count = 0;   ///< so many were given, in this order:
  int width = 0;   ///< cells along x
  int height = 0;  ///< cells along y
  int depth = 0;   ///< cells along z
  /// Equal numbers.
  friend bool operator==(const order_numbers&, const order_numbers&) = default;
};

}  // namespace dwell
