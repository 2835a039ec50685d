// SPDX-License-Identifier: MIT
// Levels of geometric multigrid: operators in halved rows, inverse diagonals, weights between
// levels, vectors, and a factor at the bottom.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "dwell/solvers/grid/coarsening.hpp"
#include "dwell/solvers/grid/coefficients.hpp"
#include "dwell/solvers/grid/galerkin.hpp"
#include "dwell/solvers/grid/grid_methods.hpp"
#include "dwell/solvers/grid/profile_factor.hpp"

namespace dwell::grids {

/// The three axes of a step to the next level, in the order x, y, z.
template <class V>
struct level_step {
  std::array<halved_axis, 3> axes;  ///< along z, y, x
  axis_weights<V> x, y, z;          ///< where that axis is halved; rows of y and z are halved ones
};

template <class V>
struct level {
  coefficients<V> a;                    ///< rows halved; `s` as well
  std::vector<V> inverse;               ///< rows of 1 / diagonal, halved
  std::vector<std::size_t> inverse_at;  ///< [plane, row]
  int colours = 2;                      ///< 3 where an axis is a ring of an odd number of cells
  level_step<V> step;                   ///< to the next level, if there is one
  /// Inverse pivots of lines along z, y, x, if these are relaxed; rows halved.
  std::array<std::vector<V>, 3> pivots;
  std::vector<V> u, f;  ///< answer and right-hand side, rows halved

  const V* inverse_of(int k, int j) const { return &inverse[inverse_at[a.row(k, j)]]; }
  /// The colour of the even half of a row, the next one being that of the odd half; the last cell
  /// of an odd ring has the one after that.
  int colour_of(int k, int j) const {
    const auto of = [&](int axis, int i) {
      const int n = a.shape.n[std::size_t(axis)];
      return a.shape.wraps[std::size_t(axis)] && n > 1 && n % 2 && i == n - 1 ? 2 : i % 2;
    };
    return (of(z_axis, k) + of(y_axis, j)) % colours;
  }
  bool odd_ring_x() const { return a.shape.wraps[2] && a.shape.n[2] > 1 && a.shape.n[2] % 2; }
};

template <class V>
struct hierarchy {
  std::vector<level<V>> levels;  ///< the finest first; the last one is solved by `bottom`
  profile_factor bottom;         ///< solves the last level
  galerkin_levels galerkin;      ///< if it has levels, they are those below the first one
  bool jumps = false;            ///< coefficients do: the bottom is larger
  bool twice = false;            ///< small levels are visited twice
  bool lines = false;            ///< whole lines are relaxed
  std::vector<V> line_residual;  ///< then, as large as the finest level
  std::vector<double> line_sums;
  std::vector<V> zeros;  ///< a row of them, for all levels
  int most_plane = 0;    ///< cells of the largest plane between two levels
};

/// Puts a pool's rows of cells (and of faces along x) into halves, in place; and back.
template <class V>
void halve_rows(coefficients<V>& a);
template <class V>
void join_rows(coefficients<V>& a);

/// Levels down to 64 cells or fewer (1024 where coefficients jump, 4096 of Galerkin's operators
/// then). An axis is halved where its conductances are, on average, at least half of the strongest
/// axis's. singular: constants are in the null space. A method without levels has the finest one
/// alone, of which diagonals are of use.
template <class V>
hierarchy<V> make_hierarchy(coefficients<V> finest, bool singular, const chosen_method& method);

extern template void halve_rows(coefficients<double>&);
extern template void halve_rows(coefficients<float>&);
extern template void join_rows(coefficients<float>&);
extern template hierarchy<double> make_hierarchy(coefficients<double>, bool, const chosen_method&);
extern template hierarchy<float> make_hierarchy(coefficients<float>, bool, const chosen_method&);

}  // namespace dwell::grids
