// SPDX-License-Identifier: MIT
// Which cells of a grid in three dimensions a team owns: a brick. Shares along an axis differ by at
// most one cell, or one whole piece of cells along x and y. Cells around the brick, which other
// teams own, or nobody, or the border stands for, have positions below 0 or from the brick's
// extents on.
#pragma once
#include "dwell/execution/core/sweep_step.hpp"
#include "dwell/execution/perks/share_grid.hpp"

namespace dwell {

template <class T>
struct brick_share {
  int z0, y0, x0;  ///< of the grid
  int nz, ny, nx;  ///< cells

  /// A share of all cells.
  DWELL_FN brick_share(const sweep_args<T>& a, int worker)
      : brick_share(a.plan, worker, {0, a.size.z, 0, a.size.y, 0, a.size.x}, 1, 1) {}
  /// A share of the cells of a box, which along x and y has whole pieces.
  DWELL_FN brick_share(const sweep_plan& p, int worker, const cell_box& of, int piece_x,
                       int piece_y) {
    const share_place at = place_of_team(p, worker);
    const int columns = (of.x1 - of.x0) / piece_x, rows = (of.y1 - of.y0) / piece_y;
    x0 = of.x0 + cut(columns, at.x, p.shares_x) * piece_x;
    y0 = of.y0 + cut(rows, at.y, p.shares_y) * piece_y;
    z0 = of.z0 + cut(of.z1 - of.z0, at.z, p.shares_z);
    nx = of.x0 + cut(columns, at.x + 1, p.shares_x) * piece_x - x0;
    ny = of.y0 + cut(rows, at.y + 1, p.shares_y) * piece_y - y0;
    nz = of.z0 + cut(of.z1 - of.z0, at.z + 1, p.shares_z) - z0;
  }
  /// Some cells of the brick keep their values.
  DWELL_FN bool freezes(const sweep_args<T>& a) const {
    const cell_box& in = a.inner;
    return a.edge == boundary::fixed && (x0 < in.x0 || x0 + nx > in.x1 || y0 < in.y0 ||
                                         y0 + ny > in.y1 || z0 < in.z0 || z0 + nz > in.z1);
  }
  /// The cell of an axis of n that cell i stands for. Beyond a fixed border nothing is ever used.
  DWELL_FN static int place(boundary edge, int i, int n) {
    if (edge == boundary::fixed) return i < 0 ? 0 : i >= n ? n - 1 : i;
    return cell_for(edge, i, n);
  }
};

}  // namespace dwell
