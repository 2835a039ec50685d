// SPDX-License-Identifier: MIT
// Which cells of a grid in three dimensions a team owns: a brick. Shares along an axis differ by at
// most one cell, or one whole piece of cells along x and y. Cells around the brick, which other
// teams own or the border stands for, have positions below 0 or from the brick's extents on.
#pragma once
#include "dwell/execution/core/sweep_step.hpp"
#include "dwell/execution/perks/share_grid.hpp"

namespace dwell {

template <class T>
struct brick_share {
  int z0, y0, x0;  ///< of the grid
  int nz, ny, nx;  ///< cells

  DWELL_FN brick_share(const sweep_args<T>& a, int worker, int piece_x = 1, int piece_y = 1) {
    const sweep_plan& p = a.plan;
    const int bx = worker % p.shares_x, rest = worker / p.shares_x;
    const int by = rest % p.shares_y, bz = rest / p.shares_y;
    x0 = cut(a.size.x / piece_x, bx, p.shares_x) * piece_x;
    y0 = cut(a.size.y / piece_y, by, p.shares_y) * piece_y;
    z0 = cut(a.size.z, bz, p.shares_z);
    nx = cut(a.size.x / piece_x, bx + 1, p.shares_x) * piece_x - x0;
    ny = cut(a.size.y / piece_y, by + 1, p.shares_y) * piece_y - y0;
    nz = cut(a.size.z, bz + 1, p.shares_z) - z0;
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
