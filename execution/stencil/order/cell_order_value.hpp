// SPDX-License-Identifier: MIT
// In which order the cells of a grid are taken, as plain data: an order of the list and its
// numbers.
#pragma once
#include "dwell/execution/stencil/order/numbers.hpp"

namespace dwell {

/// Plain data, so that it can travel into a kernel. By default rows: as cells lie in memory.
struct cell_order {
  int kind = 0;           ///< its place in the list (orders.hpp)
  order_numbers numbers;  ///< numbers of its blocks
  /// Equal orders.
  friend bool operator==(const cell_order&, const cell_order&) = default;
};

}  // namespace dwell
