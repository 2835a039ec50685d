// SPDX-License-Identifier: MIT
// The index map of an order on a grid (Prasetya 2022, 4.1): which cell is taken as number i, and
// the inverse. Plain data; callable on the host and in kernels.
#pragma once
#include <cstdint>

#include "dwell/execution/stencil/order/cell_order_value.hpp"
#include "dwell/execution/stencil/order/orders.hpp"
#include "dwell/formats/extents.hpp"

namespace dwell {

class index_map {
 public:
  index_map() = default;  ///< map of one cell
  /// Map of an order whose numbers suit the grid's dimensions; no axis is shorter than 0. Where
  /// pieces of several cells are taken at a time, `size` is how many of these there are, and the
  /// blocks are those of the order in whole pieces.
  index_map(const cell_order& order, const extents& size, const block_size& piece = {})
      : kind_(order.kind), cells_(static_cast<std::int64_t>(size.cells())) {
    const auto in_cells = [](int pieces, int each) {
      const std::int64_t n = static_cast<std::int64_t>(pieces) * each;
      return static_cast<int>(n < INT32_MAX ? n : INT32_MAX);
    };
    const auto in_pieces = [](int cells, int each, int all) {
      const int n = cells / each + (cells % each > 0 ? 1 : 0);
      return n < all ? n : all > 0 ? all : 1;
    };
    const block_size block = cell_orders::with<block_size>(kind_, [&]<class Order>() {
      const block_size all{in_cells(size.z, piece.depth), in_cells(size.y, piece.height),
                           in_cells(size.x, piece.width)};
      return Order::block(order.numbers, all, size.dims);
    });
    grid_.dims = size.dims;
    grid_.grid = {size.z, size.y, size.x};
    grid_.block = {in_pieces(block.depth, piece.depth, size.z),
                   in_pieces(block.height, piece.height, size.y),
                   in_pieces(block.width, piece.width, size.x)};
    mirrors_ = cell_orders::with<bool>(kind_, [&]<class Order>() { return Order::mirrors; });
  }

  /// How many cells there are.
  DWELL_HD std::int64_t cells() const { return cells_; }
  /// Whether every second row of a block goes from right to left.
  DWELL_HD bool mirrors() const { return mirrors_; }
  /// The cell that is number i, 0 <= i < cells().
  DWELL_HD grid_cell at(std::int64_t i) const {
    const cell_block b = block_at(i);
    const std::int64_t in_block = i - b.before, row = in_block / b.size.width;
    int x = static_cast<int>(in_block - row * b.size.width);  // equation 4.4
    if (mirrors_ && row % 2 == 0) x = b.size.width - 1 - x;   // equation 4.7
    return {b.first.z + static_cast<int>(row / b.size.height),
            b.first.y + static_cast<int>(row % b.size.height), b.first.x + x};
  }
  /// The number of a cell of the grid.
  DWELL_HD std::int64_t number(const grid_cell& c) const {
    const cell_block b = block_of(c);
    const std::int64_t row =
        static_cast<std::int64_t>(c.z - b.first.z) * b.size.height + (c.y - b.first.y);
    const int x = c.x - b.first.x;
    return b.before + row * b.size.width + (mirrors_ && row % 2 == 0 ? b.size.width - 1 - x : x);
  }
  /// The block that holds cell number i.
  DWELL_HD cell_block block_at(std::int64_t i) const {
    return cell_orders::with<cell_block>(kind_,
                                         [&]<class Order>() { return Order::block_at(grid_, i); });
  }
  /// The block that holds a cell.
  DWELL_HD cell_block block_of(const grid_cell& c) const {
    return cell_orders::with<cell_block>(kind_,
                                         [&]<class Order>() { return Order::block_of(grid_, c); });
  }

 private:
  int kind_ = 0;
  bool mirrors_ = false;
  std::int64_t cells_ = 1;
  blocked_grid grid_;
};

}  // namespace dwell
