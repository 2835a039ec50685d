// SPDX-License-Identifier: MIT
// Order "hilbert": blocks along a Hilbert curve, each by rows. The curve is that of the smallest
// square (cube) of 2^k blocks that holds the grid, less what lies outside: so it suits any size,
// and neighbours on it are neighbours in the grid where the grid is such a square of whole blocks.
// Rotations after Hamilton 2006.
#pragma once
#include "dwell/execution/stencil/order/blocks.hpp"
#include "dwell/execution/stencil/order/numbers.hpp"

namespace dwell {

struct hilbert_order {
  static constexpr const char* name = "hilbert";
  static constexpr const char* numbers = "[:WxH[xD]]";
  static constexpr const char* about =
      "blocks of 64x16 cells (in 3-D 64x8x8), or so many, along a Hilbert curve";
  static constexpr bool mirrors = false;

  static constexpr bool takes(int count, int dims) {
    return count == 0 || (count >= 2 && count <= dims);
  }
  static block_size block(const order_numbers& n, const block_size&, int dims) {
    if (n.count == 0) return dims == 3 ? block_size{8, 8, 64} : block_size{1, 16, 64};
    return {n.depth > 0 ? n.depth : 1, n.height, n.width};
  }

  DWELL_HD static cell_block block_at(const blocked_grid& g, std::int64_t i) {
    std::int64_t before = 0;
    cell_block b = descend(g, [&](const cube& child) {
      const std::int64_t inside = child.cells(g);
      if (i < before + inside) return true;
      before += inside;
      return false;
    });
    b.before = before;
    return b;
  }
  DWELL_HD static cell_block block_of(const blocked_grid& g, const grid_cell& c) {
    const int x = c.x / g.block.width, y = c.y / g.block.height, z = c.z / g.block.depth;
    std::int64_t before = 0;
    cell_block b = descend(g, [&](const cube& child) {
      const bool holds = x >> child.level == child.x >> child.level &&
                         y >> child.level == child.y >> child.level &&
                         z >> child.level == child.z >> child.level;
      if (!holds) before += child.cells(g);
      return holds;
    });
    b.before = before;
    return b;
  }

 private:
  /// 2^level blocks along each axis, from block (z, y, x) on.
  struct cube {
    int level, z, y, x;

    /// Those of its cells that the grid has.
    DWELL_HD std::int64_t cells(const blocked_grid& g) const {
      return along(x, g.block.width, g.grid.width) * along(y, g.block.height, g.grid.height) *
             (g.dims == 3 ? along(z, g.block.depth, g.grid.depth) : g.grid.depth);
    }

   private:
    DWELL_HD std::int64_t along(int first, std::int64_t block, std::int64_t cells) const {
      const std::int64_t begin = first * block, end = begin + (block << level);
      return (end < cells ? end : cells) - (begin < cells ? begin : cells);
    }
  };

  DWELL_HD static unsigned gray(unsigned i) { return i ^ (i >> 1); }
  /// The lowest bits of `v`, `dims` of them, turned left by `by`.
  DWELL_HD static unsigned turned(unsigned v, unsigned by, unsigned dims) {
    by %= dims;
    return ((v << by) | (v >> (dims - by))) & ((1u << dims) - 1);
  }
  DWELL_HD static unsigned trailing_ones(unsigned v) {
    unsigned n = 0;
    for (; v & 1u; v >>= 1) ++n;
    return n;
  }

  /// From the whole curve down to a block: of the cubes that a cube has, in the order of the curve,
  /// the first one that takes(cube).
  template <class Takes>
  DWELL_HD static cell_block descend(const blocked_grid& g, const Takes& takes) {
    const unsigned dims = static_cast<unsigned>(g.dims), children = 1u << dims;
    const auto blocks = [](int cells, int block) { return (cells + block - 1) / block; };
    const int across = blocks(g.grid.width, g.block.width),
              down = blocks(g.grid.height, g.block.height),
              deep = g.dims == 3 ? blocks(g.grid.depth, g.block.depth) : 1;
    const int most = across > down ? (across > deep ? across : deep) : (down > deep ? down : deep);
    int level = 0;
    while (most > 1 << level) ++level;
    cube at{level, 0, 0, 0};
    // Where the curve enters the cube, a corner, and the axis along which it leaves it.
    unsigned entry = 0, axis = 0;
    while (at.level > 0) {
      --at.level;
      for (unsigned w = 0; w < children; ++w) {
        const unsigned corner = turned(gray(w), axis + 1, dims) ^ entry;
        const auto half = [&](unsigned k) {
          return static_cast<int>(corner >> k & 1u) << at.level;
        };
        const cube child{at.level, at.z + (g.dims == 3 ? half(2) : 0), at.y + half(1),
                         at.x + half(0)};
        if (w + 1 < children && !takes(child)) continue;
        at = child;
        entry ^= turned(w == 0 ? 0 : gray((w - 1) / 2 * 2), axis + 1, dims);
        axis = (axis + (w == 0 ? 0 : trailing_ones(w % 2 == 0 ? w - 1 : w) % dims) + 1) % dims;
        break;
      }
    }
    return g.block_from({at.z * g.block.depth, at.y * g.block.height, at.x * g.block.width});
  }
};

}  // namespace dwell
