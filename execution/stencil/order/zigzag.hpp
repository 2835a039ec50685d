// SPDX-License-Identifier: MIT
// Order "zigzag": columns, in which every second row goes from right to left (Prasetya 2022,
// equation 4.7, which must read w' - 1 - x where it has w' - x). Rows are counted through planes
// from 0, and the even ones are mirrored.
#pragma once
#include "dwell/execution/stencil/order/blocks.hpp"
#include "dwell/execution/stencil/order/numbers.hpp"

namespace dwell {

struct zigzag_order : blocks_in_lines {
  static constexpr const char* name = "zigzag";
  static constexpr const char* numbers = ":W";
  static constexpr const char* about = "columns W wide, whose every second row goes backwards";
  static constexpr bool mirrors = true;

  static constexpr bool takes(int count, int) { return count == 1; }
  static block_size block(const order_numbers& n, const block_size& grid, int) {
    return {grid.depth, grid.height, n.width};
  }
};

}  // namespace dwell
