// SPDX-License-Identifier: MIT
// Order "columns": columns of a width one after the other, each from the first row to the last, the
// last one narrower where the width does not divide the grid's (Prasetya 2022, 4.1). In three
// dimensions a column goes through all planes; it has all rows, as in listing 1, or some.
#pragma once
#include "dwell/execution/stencil/order/blocks.hpp"
#include "dwell/execution/stencil/order/numbers.hpp"

namespace dwell {

struct columns_order : blocks_in_lines {
  static constexpr const char* name = "columns";
  static constexpr const char* numbers = ":W[xH]";
  static constexpr const char* about =
      "columns W wide, each from the first row to the last; in 3-D through all planes, all rows "
      "of them or H";
  static constexpr bool mirrors = false;

  static constexpr bool takes(int count, int dims) {
    return count == 1 || (count == 2 && dims == 3);
  }
  static block_size block(const order_numbers& n, const block_size& grid, int) {
    return {grid.depth, n.height > 0 ? n.height : grid.height, n.width};
  }
};

}  // namespace dwell
