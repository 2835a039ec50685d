// SPDX-License-Identifier: MIT
// Order "tiles": tile after tile along x, y and z, within one by rows (Prasetya 2022, 3.2.2).
#pragma once
#include "dwell/execution/stencil/order/blocks.hpp"
#include "dwell/execution/stencil/order/numbers.hpp"

namespace dwell {

struct tiles_order : blocks_in_lines {
  static constexpr const char* name = "tiles";
  static constexpr const char* numbers = ":WxH[xD]";
  static constexpr const char* about =
      "tile after tile of W columns and H rows (and D planes, else 1), each by rows";
  static constexpr bool mirrors = false;

  static constexpr bool takes(int count, int dims) { return count >= 2 && count <= dims; }
  static block_size block(const order_numbers& n, const block_size&, int) {
    return {n.depth > 0 ? n.depth : 1, n.height, n.width};
  }
};

}  // namespace dwell
