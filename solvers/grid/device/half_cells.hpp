// SPDX-License-Identifier: MIT
// A half of a row on a device, cell by cell: the sums of half_rows.hpp, in the same order.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/args.hpp"

namespace dwell::grids {

/// Says that these are in the device's memory, of which a compiler does not know where arguments
/// and tables come from.
template <class... P>
DWELL_FN void in_memory(P... p) {
  (DWELL_IN_MEMORY(p), ...);
}

/// The faces and neighbours of the cells of a half. What is not there is read all the same, from
/// the row of zeros that every pool begins with: a branch would keep the loads of several cells
/// apart. Flat: there are no faces along y.
template <class V, bool Flat>
class half_cells {
 public:
  /// u: cells of all rows.
  DWELL_FN half_cells(const device_operator<V>& g, const V* u, int k, int j, bool odd) {
    const int nz = g.n[0], ny = g.n[1], nx = g.n[2], evens = g.evens(), odds = g.odds();
    const long long row = static_cast<long long>(k) * ny + j;
    const V* const own_row = u + row * nx;
    const int at = odd ? evens : 0;
    const auto other = [&](bool there, int plane, int line) -> const V* {
      return there ? u + (static_cast<long long>(plane) * ny + line) * nx + at : g.pool;
    };
    own = own_row + at;
    // A ring of one cell has no neighbours: its own value may not be there yet.
    const bool ring_z = g.wraps[0] && nz > 1, ring_y = g.wraps[1] && ny > 1;
    before_z_ = other(k > 0 || ring_z, k > 0 ? k - 1 : nz - 1, j);
    after_z_ = other(k < nz - 1 || ring_z, k < nz - 1 ? k + 1 : 0, j);
    const V* const faces = g.pool + g.x[row];
    const V* const odd_faces = faces + nx / 2 + 1;
    low_w_ = odd ? odd_faces : faces;
    high_w_ = odd ? faces + 1 : odd_faces;
    z0_ = g.pool + g.z[row] + at;
    z1_ = g.pool + g.z[row + ny] + at;
    if constexpr (!Flat) {
      before_y_ = other(j > 0 || ring_y, k, j > 0 ? j - 1 : ny - 1);
      after_y_ = other(j < ny - 1 || ring_y, k, j < ny - 1 ? j + 1 : 0);
      const long long face = static_cast<long long>(k) * (ny + 1) + j;
      y0_ = g.pool + g.y[face] + at;
      y1_ = g.pool + g.y[face + 1] + at;
      in_memory(before_y_, after_y_, y0_, y1_);
    }
    low_ = odd ? own_row : own_row + evens - 1;
    high_ = odd ? own_row + 1 : own_row + evens;
    // Cells of a half whose neighbour along x is not in the other one.
    const bool ring = g.wraps[2] && nx > 1;
    first_ = odd ? -1 : 0;
    last_ = odd == (nx % 2 == 0) ? (odd ? odds : evens) - 1 : -1;
    before_first_ = ring && !odd ? own_row + (nx % 2 ? evens - 1 : nx - 1) : g.pool;
    after_last_ = ring ? own_row : g.pool;
    in_memory(own, before_z_, after_z_, low_w_, high_w_, z0_, z1_, low_, high_, before_first_,
              after_last_);
  }

  /// The sum over the faces of cell i of term(w, u of the neighbour).
  template <class Term>
  DWELL_FN V sum(int i, Term&& term) const {
    const V low = *(i == first_ ? before_first_ : low_ + i);
    const V high = *(i == last_ ? after_last_ : high_ + i);
    V all = (term(low_w_[i], low) + term(high_w_[i], high)) +
            (term(z0_[i], before_z_[i]) + term(z1_[i], after_z_[i]));
    if constexpr (!Flat) all += term(y0_[i], before_y_[i]) + term(y1_[i], after_y_[i]);
    return all;
  }

  const V* own;  ///< the half's cells

 private:
  const V *before_z_, *after_z_, *before_y_, *after_y_;
  const V *low_w_, *high_w_, *z0_, *z1_, *y0_, *y1_, *low_, *high_;
  const V *before_first_, *after_last_;
  int first_, last_;
};

/// The colour of the even half of a row, as level::colour_of().
DWELL_FN int colour_of_row(const device_operator<float>& a, int colours, int k, int j) {
  const auto of = [&](int axis, int i) {
    const int n = a.n[axis];
    return a.wraps[axis] && n > 1 && n % 2 && i == n - 1 ? 2 : i % 2;
  };
  return (of(0, k) + of(1, j)) % colours;
}
/// The colour of cell i of a half.
DWELL_FN int colour_of_cell(const device_level& l, int of_row, bool odd, int i) {
  const int nx = l.a.n[2];
  const bool tail = !odd && l.a.wraps[2] && nx > 1 && nx % 2 && i == nx / 2;
  return (of_row + (tail ? 2 : odd ? 1 : 0)) % l.colours;
}

/// Where coarse cell i of a row of n lies in halves.
DWELL_FN int halved_place(int i, int n) { return i % 2 ? (n + 1) / 2 + i / 2 : i / 2; }

/// Steps from a level to the next one may take whole rows of residuals of one kind: of two colours,
/// where x is halved, and in three dimensions all axes.
template <bool Flat>
DWELL_FN bool is_known_by_rows(const device_level& l) {
  if (l.colours != 2 || !l.axes[2].halved) return false;
  return Flat ? l.a.n[1] == 1 : l.axes[0].halved && l.axes[1].halved;
}

}  // namespace dwell::grids
