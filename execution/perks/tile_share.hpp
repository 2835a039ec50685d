// SPDX-License-Identifier: MIT
// Which cells of a grid in two dimensions a team owns, and where the rest of its tile lies: a rim
// of depth * R cells around them, which other teams own or the border stands for.
#pragma once
#include "dwell/execution/core/sweep_step.hpp"
#include "dwell/execution/perks/share_grid.hpp"

namespace dwell {

/// A tile with `Across` cells of each of 32 lanes along x.
template <class S, class T, int Across>
struct tile_share {
  static constexpr int width = 32 * Across;
  int rim, x0, x1, y0, y1;  ///< owned: [x0, x1) x [y0, y1)
  int left, top;            ///< where the tile begins

  /// rows: of the tile, if it shall lie flush with a fixed border that it reaches, so that cells
  /// which keep their values are its first or its last ones; else the rim lies around what is owned
  /// and may reach beyond the grid.
  DWELL_FN tile_share(const sweep_args<T>& a, int worker, int rows = 0)
      : rim(a.plan.depth * radius_of<S>) {
    const int bx = worker % a.plan.shares_x, by = worker / a.plan.shares_x;
    x0 = cut(a.size.x, bx, a.plan.shares_x);
    x1 = cut(a.size.x, bx + 1, a.plan.shares_x);
    y0 = cut(a.size.y, by, a.plan.shares_y);
    y1 = cut(a.size.y, by + 1, a.plan.shares_y);
    const bool flush = rows > 0 && a.edge == boundary::fixed;
    left = flush ? origin(x0 - rim, x1 + rim, a.size.x, width) : x0 - rim;
    top = flush ? origin(y0 - rim, y1 + rim, a.size.y, rows) : y0 - rim;
  }
  /// Lanes of a warp that hold cells of the team or of its rim.
  DWELL_FN int lanes() const { return (x1 - x0 + 2 * rim + Across - 1) / Across; }

  /// The column of the grid that one of the tile stands for. Beyond the rim or a fixed border,
  /// where nothing is ever used, a column of the team's own, such that those of a lane lie in line.
  DWELL_FN int column(const sweep_args<T>& a, int i) const {
    const int k = left + i, n = a.size.x;
    if (k < x0 - rim || k >= x1 + rim || (a.edge == boundary::fixed && (k < 0 || k >= n)))
      return x1 - x0 >= Across ? x0 + i % Across : x0;
    return cell_for(a.edge, k, n);
  }
  /// Likewise a row.
  DWELL_FN int row(const sweep_args<T>& a, int j) const {
    const int k = top + j, n = a.size.y;
    if (k < y0 - rim || k >= y1 + rim || (a.edge == boundary::fixed && (k < 0 || k >= n)))
      return y0;
    return cell_for(a.edge, k, n);
  }
  /// The sides at which cells that the team owns or needs keep their values: 1 left, 2 right, 4
  /// top, 8 bottom.
  DWELL_FN int still_sides(const sweep_args<T>& a) const {
    if (a.edge != boundary::fixed) return 0;
    return (x0 - rim < a.inner.x0 ? 1 : 0) | (x1 + rim > a.inner.x1 ? 2 : 0) |
           (y0 - rim < a.inner.y0 ? 4 : 0) | (y1 + rim > a.inner.y1 ? 8 : 0);
  }
  /// The tile, which has so many rows, lies flush with the grid at these sides.
  DWELL_FN bool flush(const sweep_args<T>& a, int sides, int rows) const {
    return (!(sides & 1) || left == 0) && (!(sides & 2) || left + width == a.size.x) &&
           (!(sides & 4) || top == 0) && (!(sides & 8) || top + rows == a.size.y);
  }

 private:
  /// Of a tile of so many cells along an axis of n, which has to hold [from, to) of it.
  DWELL_FN static int origin(int from, int to, int n, int cells) {
    if (from <= 0) return 0;
    return to >= n && n - cells <= from ? n - cells : from;
  }
};

/// The columns of the grid that a lane's columns stand for.
template <int Across>
struct lane_columns {
  int at[Across];
  DWELL_FN bool in_line() const {
    bool yes = true;
    DWELL_UNROLL
    for (int i = 1; i < Across; ++i) yes = yes && at[i] == at[0] + i;
    return yes;
  }
};

/// What the lane whose first cell is (x, y) must know of the cells that keep their values: some of
/// its columns, and its rows before `first` and from `last` on.
template <class T, int Across>
struct frozen_cells {
  int first, last;
  bool column[Across];

  frozen_cells() = default;
  DWELL_FN frozen_cells(const sweep_args<T>& a, int x, int y) {
    const bool fixed = a.edge == boundary::fixed;
    first = fixed ? a.inner.y0 - y : -(1 << 30);
    last = fixed ? a.inner.y1 - y : 1 << 30;
    DWELL_UNROLL
    for (int i = 0; i < Across; ++i)
      column[i] = fixed && (x + i < a.inner.x0 || x + i >= a.inner.x1);
  }
};

}  // namespace dwell
