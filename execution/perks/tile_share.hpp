// SPDX-License-Identifier: MIT
// Which cells of a grid in two dimensions a team owns, and where the rest of its tile lies: a rim
// of depth * R cells around them, which other teams own or the border stands for.
#pragma once
#include <cstdint>

#include "dwell/execution/core/sweep_step.hpp"

namespace dwell {

/// A tile with `Across` cells of each of 32 lanes along x.
template <class S, class T, int Across>
struct tile_share {
  static constexpr int width = 32 * Across;
  int rim, x0, x1, y0, y1;  ///< owned: [x0, x1) x [y0, y1)

  DWELL_FN tile_share(const sweep_args<T>& a, int worker) : rim(a.plan.depth * radius_of<S>) {
    const int bx = worker % a.plan.teams_x, by = worker / a.plan.teams_x;
    x0 = begin(a.size.x, bx, a.plan.teams_x);
    x1 = begin(a.size.x, bx + 1, a.plan.teams_x);
    y0 = begin(a.size.y, by, a.plan.teams_y);
    y1 = begin(a.size.y, by + 1, a.plan.teams_y);
  }
  /// Lanes of a warp that hold cells of the team or of its rim.
  DWELL_FN int lanes() const { return (x1 - x0 + 2 * rim + Across - 1) / Across; }
  DWELL_FN int left() const { return x0 - rim; }
  DWELL_FN int top() const { return y0 - rim; }

  /// The column of the grid that one of the tile stands for. Beyond the rim or a fixed border,
  /// where nothing is ever used, a column of the team's own, such that those of a lane lie in line.
  DWELL_FN int column(const sweep_args<T>& a, int i) const {
    const int k = left() + i, n = a.size.x;
    if (k >= x1 + rim || (a.edge == boundary::fixed && (k < 0 || k >= n)))
      return x1 - x0 >= Across ? x0 + i % Across : x0;
    return cell_for(a.edge, k, n);
  }
  /// Likewise a row.
  DWELL_FN int row(const sweep_args<T>& a, int j) const {
    const int k = top() + j, n = a.size.y;
    if (k >= y1 + rim || (a.edge == boundary::fixed && (k < 0 || k >= n))) return y0;
    return cell_for(a.edge, k, n);
  }
  /// Some cells of the tile, which has so many rows, keep their values.
  DWELL_FN bool freezes(const sweep_args<T>& a, int rows) const {
    return a.edge == boundary::fixed && (left() < a.inner.x0 || left() + width > a.inner.x1 ||
                                         top() < a.inner.y0 || top() + rows > a.inner.y1);
  }

 private:
  DWELL_FN static int begin(int n, int part, int parts) {
    return static_cast<int>(static_cast<std::int64_t>(n) * part / parts);
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
