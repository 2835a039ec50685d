// SPDX-License-Identifier: MIT
// The cells that the sums of a tile come from: where they lie in the image, or, where some of them
// lie beyond its border, a copy of them in memory of the warp's own or in registers. So no
// algorithm of computing a tile knows of borders.
#pragma once
#include <cstddef>

#include "dwell/base/cell_piece.hpp"
#include "dwell/solvers/arrays/convolution/pass.hpp"

namespace dwell {

/// Rows and columns of a plane; the first may be negative.
struct tile_footprint {
  int y, x, rows, columns;
};

/// Cells of a footprint: the first one, and how far rows lie from each other.
template <class Cell>
struct footprint_cells {
  const Cell* first;
  std::ptrdiff_t next_row;
};

/// Warps of a block of a GPU, each with a copy of its own.
inline constexpr int warps_of_block = 4;
/// Columns of a lane of a GPU: a piece of 16 bytes, or one.
template <class Algorithm, class T>
inline constexpr int columns_of_lane = Algorithm::whole_pieces ? cell_piece<T>::size : 1;
/// The tile of a block's `number`th warp. A warp without one gets a tile below the image, of which
/// nothing is stored: all warps of the block meet at the weights.
DWELL_FN convolution_tile tile_of_warp(const tile_grid& tiles, const extents& size, unsigned block,
                                       int number) {
  const unsigned stacks = (static_cast<unsigned>(tiles.bands) - 1) / warps_of_block + 1;
  const unsigned x = block % static_cast<unsigned>(tiles.across);
  const unsigned stack = block / static_cast<unsigned>(tiles.across);
  const int band = static_cast<int>(stack % stacks) * warps_of_block + number;
  const unsigned plane = stack / stacks;
  convolution_tile at;
  at.image = plane / static_cast<unsigned>(size.z);
  at.z = static_cast<int>(plane % static_cast<unsigned>(size.z));
  at.y = band * tiles.rows;
  at.x = static_cast<int>(x) * tiles.columns;
  return at;
}

/// Bytes of shared memory for so many of them: weights and copies begin at multiples of 16.
DWELL_HD std::size_t in_pieces(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

/// Elements of memory that a copy takes.
DWELL_HD std::size_t copy_size(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// The lanes meet before the copy and after it.
template <class Pass, class Cell, class Warp>
DWELL_FN footprint_cells<Cell> copy_footprint(Warp& warp, const Pass& a, const Cell* plane,
                                              const tile_footprint& f, Cell* to) {
  const auto between = [](int low, int v, int high) { return v < low ? low : v > high ? high : v; };
  const int left = between(0, -f.x, f.columns);                 // columns before the image
  const int inside = between(left, a.size.x - f.x, f.columns);  // columns before its end
  // Rows together, so that loads of the later ones do not wait for the first one to be stored.
  constexpr int together = Warp::rows_copied_together;
  Warp::barrier();
  for (int r = 0; r < f.rows; r += together) {
    const Cell* row[together];
    unrolled<0, together>([&](auto k) { row[k] = row_for(a, plane, f.y + r + k); });
    const auto copy = [&](int i, int column) {
      Cell cells[together];
      unrolled<0, together>([&](auto k) {
        cells[k] = r + k < f.rows && row[k] && column >= 0 ? row[k][column] : Cell();
      });
      unrolled<0, together>([&](auto k) {
        if (r + k < f.rows) to[(r + k) * f.columns + i] = cells[k];
      });
    };
    const auto beyond = [&](int i) { copy(i, cell_for(a.edge, f.x + i, a.size.x)); };
    warp.items(left, beyond);
    warp.items(inside - left, [&](int i) { copy(left + i, f.x + left + i); });
    warp.items(f.columns - inside, [&](int i) { beyond(inside + i); });
  }
  Warp::barrier();
  return {to, f.columns};
}

/// Is all of a footprint in the image?
template <class Pass>
DWELL_FN bool is_inside(const Pass& a, const tile_footprint& f) {
  return f.y >= 0 && f.y <= a.size.y - f.rows && f.x >= 0 && f.x <= a.size.x - f.columns;
}

/// Cells of a footprint that lies partly beyond the border, one by one, to registers: cells[r][g],
/// as each_register<C>() counts rows.
template <int C, class Pass, class Cell, class Warp>
DWELL_FN void load_edge_cells(Warp& warp, const Pass& a, const Cell* plane, const tile_footprint& f,
                              typename Warp::row* cells) {
  using group = typename Warp::group;
  warp.each([&](int g) {
    int column[group::size];
    for (int i = 0; i < group::size; ++i)
      column[i] = cell_for(a.edge, f.x + Warp::column(g) + i, a.size.x);
    Warp::template each_register<C>([&](auto r) {
      if (r >= f.rows) return;
      const Cell* const row = row_for(a, plane, f.y + r);
      cells[r][g] = group::of(
          [&](int i) { return Warp::value(row && column[i] >= 0 ? row[column[i]] : Cell()); });
    });
  });
}

/// The cells where they lie, or a copy at `to`.
template <class Pass, class Cell, class Warp>
DWELL_FN footprint_cells<Cell> cells_for(Warp& warp, const Pass& a, const Cell* plane,
                                         const tile_footprint& f, Cell* to) {
  if (plane && is_inside(a, f))
    return {plane + static_cast<std::int64_t>(f.y) * a.size.x + f.x, a.size.x};
  return copy_footprint(warp, a, plane, f, to);
}

}  // namespace dwell
