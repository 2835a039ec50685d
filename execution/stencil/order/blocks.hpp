// SPDX-License-Identifier: MIT
// A grid of cells cut into blocks of one size, which are narrower where the grid ends, and the
// plain sequence of blocks: along x, then y, then z. With blocks as high and as deep as the grid
// that is the index mapping of columns (Prasetya 2022, equations 4.1 to 4.6); equation 4.3 needs
// the width of a whole column there, as listing 1 has it, and not w'.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"

namespace dwell {

/// A cell of a grid, by its place along each axis, slowest axis first.
struct grid_cell {
  int z = 0;  ///< plane
  int y = 0;  ///< row
  int x = 0;  ///< column
  /// Equal places.
  friend bool operator==(const grid_cell&, const grid_cell&) = default;
};

/// Cells along each axis; none is 0.
struct block_size {
  int depth = 1;   ///< along z
  int height = 1;  ///< along y
  int width = 1;   ///< along x
  /// Cells of a block.
  DWELL_HD std::int64_t cells() const { return static_cast<std::int64_t>(depth) * height * width; }
};

/// One block of a grid: its cells, and how many cells are taken before them.
struct cell_block {
  grid_cell first;          ///< the one with the least place along each axis
  block_size size;          ///< what the grid has of it
  std::int64_t before = 0;  ///< cells
};

/// A grid and the size of its blocks, which is at most the grid's along each axis.
struct blocked_grid {
  block_size grid;   ///< all cells
  block_size block;  ///< size of all blocks but those that the grid ends in
  int dims = 2;      ///< axes that are ordered

  /// The block that begins at a cell; `before` is left at 0.
  DWELL_HD cell_block block_from(const grid_cell& c) const {
    const auto rest = [](int block, int cells, int first) {
      return cells - first < block ? cells - first : block;
    };
    return {c,
            {rest(block.depth, grid.depth, c.z), rest(block.height, grid.height, c.y),
             rest(block.width, grid.width, c.x)}};
  }
  /// The first cell of the block that holds a cell.
  DWELL_HD grid_cell corner_of(const grid_cell& c) const {
    return {c.z / block.depth * block.depth, c.y / block.height * block.height,
            c.x / block.width * block.width};
  }
};

/// Blocks in lines: what orders are made of that take blocks along x first, then along y and z.
struct blocks_in_lines {
  /// The block that holds cell number i of the order.
  DWELL_HD static cell_block block_at(const blocked_grid& g, std::int64_t i) {
    const std::int64_t plane = static_cast<std::int64_t>(g.grid.height) * g.grid.width;
    grid_cell c;
    c.z = static_cast<int>(i / (plane * g.block.depth)) * g.block.depth;
    i -= plane * c.z;
    // From here on the layer of blocks has the depth of this one, which may be the last.
    const std::int64_t depth = g.block_from(c).size.depth, row = depth * g.grid.width;
    c.y = static_cast<int>(i / (row * g.block.height)) * g.block.height;
    i -= row * c.y;
    const std::int64_t face = depth * g.block_from(c).size.height;
    c.x = static_cast<int>(i / (face * g.block.width)) * g.block.width;  // equation 4.1
    cell_block b = g.block_from(c);                                      // equation 4.2
    b.before = before(g, b);
    return b;
  }
  /// The block that holds a cell.
  DWELL_HD static cell_block block_of(const blocked_grid& g, const grid_cell& c) {
    cell_block b = g.block_from(g.corner_of(c));
    b.before = before(g, b);
    return b;
  }

 private:
  DWELL_HD static std::int64_t before(const blocked_grid& g, const cell_block& b) {
    const std::int64_t plane = static_cast<std::int64_t>(g.grid.height) * g.grid.width;
    return plane * b.first.z + static_cast<std::int64_t>(b.size.depth) * g.grid.width * b.first.y +
           static_cast<std::int64_t>(b.size.depth) * b.size.height * b.first.x;
  }
};

}  // namespace dwell
