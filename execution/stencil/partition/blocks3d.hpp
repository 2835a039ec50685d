// SPDX-License-Identifier: MIT
// Which cells of a grid in three dimensions a team owns: a block. Subdomains along an axis differ
// by at most one cell, or one whole piece of cells along x and y. Cells around the block, of other
// teams or beyond the border, have positions below 0 or from the block's extents on.
#pragma once
#include "dwell/execution/stencil/partition/grid.hpp"
#include "dwell/execution/stencil/step/step.hpp"

namespace dwell {

template <class T>
struct block_subdomain {
  int z0, y0, x0;  ///< begin in the grid
  int nz, ny, nx;  ///< cells

  /// A subdomain of all cells.
  DWELL_FN block_subdomain(const stencil_args<T>& a, int worker)
      : block_subdomain(a.plan, worker, {0, a.size.z, 0, a.size.y, 0, a.size.x}, 1, 1) {}
  /// A subdomain of the cells of a box, which along x and y has whole pieces.
  DWELL_FN block_subdomain(const stencil_plan& p, int worker, const cell_box& of, int piece_x,
                           int piece_y) {
    const subdomain_place at = place_of_team(p, worker);
    const int columns = (of.x1 - of.x0) / piece_x, rows = (of.y1 - of.y0) / piece_y;
    x0 = of.x0 + cut(columns, at.x, p.subdomains_x) * piece_x;
    y0 = of.y0 + cut(rows, at.y, p.subdomains_y) * piece_y;
    z0 = of.z0 + cut(of.z1 - of.z0, at.z, p.subdomains_z);
    nx = of.x0 + cut(columns, at.x + 1, p.subdomains_x) * piece_x - x0;
    ny = of.y0 + cut(rows, at.y + 1, p.subdomains_y) * piece_y - y0;
    nz = of.z0 + cut(of.z1 - of.z0, at.z + 1, p.subdomains_z) - z0;
  }
  /// Some cells of the block keep their values.
  DWELL_FN bool has_fixed_cells(const stencil_args<T>& a) const {
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
