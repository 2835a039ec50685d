// SPDX-License-Identifier: MIT
// Which cells of a grid in two dimensions a team owns, and where the rest of its tile lies: a halo
// of depth * R cells around them, of other teams or beyond the border.
#pragma once
#include "dwell/execution/stencil/partition/grid.hpp"
#include "dwell/execution/stencil/step/step.hpp"

namespace dwell {

/// A tile with `Across` cells of each of 32 lanes along x.
template <class S, class T, int Across>
struct tile_subdomain {
  static constexpr int width = 32 * Across;
  int halo, x0, x1, y0, y1;  ///< owned: [x0, x1) x [y0, y1)
  int left, top;             ///< where the tile begins

  /// rows: of the tile, if it shall lie flush with a fixed border that it reaches, so that cells
  /// which keep their values are its first or its last ones; else the halo lies around the owned
  /// cells and may reach beyond the grid.
  DWELL_FN tile_subdomain(const stencil_args<T>& a, int worker, int rows = 0)
      : halo(a.plan.depth * radius_of<S>) {
    const int bx = worker % a.plan.subdomains_x, by = worker / a.plan.subdomains_x;
    x0 = cut(a.size.x, bx, a.plan.subdomains_x);
    x1 = cut(a.size.x, bx + 1, a.plan.subdomains_x);
    y0 = cut(a.size.y, by, a.plan.subdomains_y);
    y1 = cut(a.size.y, by + 1, a.plan.subdomains_y);
    const bool flush = rows > 0 && a.edge == boundary::fixed;
    left = flush ? origin(x0 - halo, x1 + halo, a.size.x, width) : x0 - halo;
    top = flush ? origin(y0 - halo, y1 + halo, a.size.y, rows) : y0 - halo;
  }
  /// Lanes of a warp that hold cells of the team or of its halo.
  DWELL_FN int lanes() const { return (x1 - x0 + 2 * halo + Across - 1) / Across; }

  /// The column of the grid that one of the tile stands for. Beyond the halo or a fixed border,
  /// where nothing is ever used, a column of the team's own, such that a lane's columns lie in
  /// line.
  DWELL_FN int column(const stencil_args<T>& a, int i) const {
    const int k = left + i, n = a.size.x;
    if (k < x0 - halo || k >= x1 + halo || (a.edge == boundary::fixed && (k < 0 || k >= n)))
      return x1 - x0 >= Across ? x0 + i % Across : x0;
    return cell_for(a.edge, k, n);
  }
  /// Likewise a row.
  DWELL_FN int row(const stencil_args<T>& a, int j) const {
    const int k = top + j, n = a.size.y;
    if (k < y0 - halo || k >= y1 + halo || (a.edge == boundary::fixed && (k < 0 || k >= n)))
      return y0;
    return cell_for(a.edge, k, n);
  }
  /// The sides at which cells that the team owns or needs keep their values: 1 left, 2 right, 4
  /// top, 8 bottom.
  DWELL_FN int fixed_sides(const stencil_args<T>& a) const {
    if (a.edge != boundary::fixed) return 0;
    return (x0 - halo < a.inner.x0 ? 1 : 0) | (x1 + halo > a.inner.x1 ? 2 : 0) |
           (y0 - halo < a.inner.y0 ? 4 : 0) | (y1 + halo > a.inner.y1 ? 8 : 0);
  }
  /// The tile, which has so many rows, lies flush with the grid at these sides.
  DWELL_FN bool flush(const stencil_args<T>& a, int sides, int rows) const {
    return (!(sides & 1) || left == 0) && (!(sides & 2) || left + width == a.size.x) &&
           (!(sides & 4) || top == 0) && (!(sides & 8) || top + rows == a.size.y);
  }

 private:
  /// Origin of a tile of so many cells along an axis of n, which has to hold [from, to) of it.
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

/// Which cells of the lane whose first cell is (x, y) keep their values: some of its columns, and
/// its rows before `first` and from `last` on.
template <class T, int Across>
struct fixed_cells {
  int first, last;
  bool column[Across];

  fixed_cells() = default;
  DWELL_FN fixed_cells(const stencil_args<T>& a, int x, int y) {
    const bool fixed = a.edge == boundary::fixed;
    first = fixed ? a.inner.y0 - y : -(1 << 30);
    last = fixed ? a.inner.y1 - y : 1 << 30;
    DWELL_UNROLL
    for (int i = 0; i < Across; ++i)
      column[i] = fixed && (x + i < a.inner.x0 || x + i >= a.inner.x1);
  }
};

}  // namespace dwell
