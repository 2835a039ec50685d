// SPDX-License-Identifier: MIT
// Order "rows": cells as they lie in memory.
#pragma once
#include "dwell/execution/stencil/order/blocks.hpp"
#include "dwell/execution/stencil/order/numbers.hpp"

namespace dwell {

struct rows_order : blocks_in_lines {
  static constexpr const char* name = "rows";
  static constexpr const char* numbers = "";
  static constexpr const char* about = "as cells lie in memory";
  static constexpr bool mirrors = false;

  static constexpr bool takes(int count, int) { return count == 0; }
  static block_size block(const order_numbers&, const block_size& grid, int) { return grid; }
};

}  // namespace dwell
