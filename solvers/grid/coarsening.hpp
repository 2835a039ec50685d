// SPDX-License-Identifier: MIT
// Coarse operators. Along an axis every second cell is a coarse one. The others are eliminated as
// in one dimension: such a cell lies between two faces, and its value is their mean by conductance;
// what remains is their series. Conductances across the axis are added up with these weights. So a
// coarse operator has faces again, layers of any k keep the flux through them, and any number of
// cells can be halved.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "dwell/solvers/grid/coefficients.hpp"

namespace dwell::grids {

/// The cells of an axis and the coarse ones among them. Cells 1, 3, 5, ... are coarse and those
/// between them not; of a ring of an odd number the last one is coarse too.
struct halved_axis {
  int n = 1;            ///< cells
  bool wraps = false;   ///< they are a ring
  bool halved = false;  ///< else all cells are coarse

  bool odd_ring() const { return halved && wraps && n % 2 == 1; }
  int coarse() const { return !halved ? n : odd_ring() ? (n + 1) / 2 : n / 2; }
  int between() const { return !halved ? 0 : odd_ring() ? (n - 1) / 2 : (n + 1) / 2; }
  /// The coarse cell's own cell.
  int centre(int c) const { return !halved ? c : 2 * c + 1 < n ? 2 * c + 1 : n - 1; }
  bool is_coarse(int i) const { return !halved || i % 2 == 1 || (odd_ring() && i == n - 1); }
  int coarse_at(int i) const {
    return !halved ? i : odd_ring() && i == n - 1 ? coarse() - 1 : i / 2;
  }
  /// The cells between a coarse cell and its neighbours, before and after it; -1 if there is none.
  int before(int c) const { return halved && c < between() ? 2 * c : -1; }
  int after(int c) const {
    if (!halved) return -1;
    const int next = c + 1 < coarse() ? c + 1 : wraps ? 0 : c + 1;
    return next < between() ? 2 * next : -1;
  }
  /// The coarse cells before and after a cell that is between them; -1 if there is none.
  int coarse_before(int i) const { return i > 0 ? i / 2 - 1 : wraps ? coarse() - 1 : -1; }
  int coarse_after(int i) const { return i / 2 < coarse() ? i / 2 : -1; }
};

/// Weights of an axis: a coarse cell's part in the cell before it and in the one after it. Rows of
/// the axis x have an element per coarse cell. Those of other axes are rows of cells along x.
template <class V>
struct axis_weights {
  std::vector<V> pool;
  std::vector<std::size_t> before,
      after;  ///< axis x: [plane, row], y: [plane, coarse], z: [coarse, row]
};

/// The operator with every second cell of an axis, which has more than one, and the weights.
template <class V>
std::pair<coefficients<V>, axis_weights<V>> coarsened(const coefficients<V>& fine, int axis);

extern template std::pair<coefficients<double>, axis_weights<double>> coarsened(
    const coefficients<double>&, int);
extern template std::pair<coefficients<float>, axis_weights<float>> coarsened(
    const coefficients<float>&, int);

}  // namespace dwell::grids
