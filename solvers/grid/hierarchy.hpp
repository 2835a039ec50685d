// SPDX-License-Identifier: MIT
// Levels of geometric multigrid: operators in halved rows, inverse diagonals, weights between
// levels, vectors, and a factor at the bottom.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "dwell/solvers/grid/axis_facts.hpp"
#include "dwell/solvers/grid/coarsening.hpp"
#include "dwell/solvers/grid/coefficients.hpp"
#include "dwell/solvers/grid/galerkin.hpp"
#include "dwell/solvers/grid/grid_methods.hpp"
#include "dwell/solvers/grid/plane_team.hpp"
#include "dwell/solvers/grid/profile_factor.hpp"

namespace dwell::grids {

using level_value = float;  ///< levels need no more digits: they cost no iterations

/// The three axes of a step to the next level, in the order x, y, z.
template <class V>
struct level_step {
  std::array<halved_axis, 3> axes;  ///< along z, y, x
  axis_weights<V> x, y, z;          ///< where that axis is halved; rows of y and z are halved ones
};

template <class V>
struct level {
  coefficients<V> a;       ///< rows halved; `s` as well
  plane_range own;         ///< planes that are computed here: all, or those of a rank, among ghosts
  grid_shape all;          ///< shape of the whole level: a.shape, unless it is divided among ranks
  std::vector<V> inverse;  ///< rows of 1 / diagonal, halved
  std::vector<std::size_t> inverse_at;  ///< [plane, row]
  int colours = 2;                      ///< 3 where an axis is a ring of an odd number of cells
  level_step<V> step;                   ///< to the next level, if there is one
  /// Inverse pivots of lines along z, y, x, if these are relaxed; rows halved.
  std::array<std::vector<V>, 3> pivots;
  std::vector<V> u, f;  ///< answer and right-hand side, rows halved; empty if a GPU has them

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
  /// f(row, odd half?, first, last cell of the half) for what has a colour in a plane.
  template <class F>
  void each_half(int k, int colour, F&& f) const {
    const int ny = a.shape.n[1], nx = a.shape.n[2];
    const int evens = (nx + 1) / 2, odds = nx / 2, c = colours;
    const int tail = odd_ring_x() ? 1 : 0;
    for (int j = 0; j < ny; ++j) {
      const int of_evens = colour_of(k, j);
      if (of_evens == colour) f(j, false, 0, evens - tail);
      if ((of_evens + 1) % c == colour) f(j, true, 0, odds);
      if (tail && (of_evens + 2) % c == colour) f(j, false, evens - 1, evens);
    }
  }
};

template <class V>
struct hierarchy {
  std::vector<level<V>> levels;  ///< the finest first; the last one is solved by `bottom`
  profile_factor bottom;         ///< solves the last level
  galerkin_levels galerkin;      ///< if it has levels, they are those below the first one
  bool jumps = false;            ///< coefficients do: the bottom is larger
  bool twice = false;            ///< small levels are visited twice
  bool lines = false;            ///< whole lines are relaxed
  bool cycles = true;            ///< else the finest level is there alone, for its diagonals
  std::vector<V> line_residual;  ///< then, as large as the finest level
  std::vector<double> line_sums;
  std::vector<V> zeros;  ///< a row of them, for all levels
  grid_shape finest;     ///< shape of the level that all others are made of

  /// What holds of all levels, of which the first one is of this shape.
  void begin(const chosen_method& method, const grid_shape& top, const grid_shape& all,
             bool conductances_jump) {
    const bool coarser = method.has_levels();
    finest = all;
    cycles = coarser;
    zeros.assign(std::size_t(top.n[2] + 1), V(0));
    jumps = coarser && conductances_jump;
    twice = coarser &&
            (method.cycle == grid_cycle::w || (method.cycle == grid_cycle::automatic && jumps));
    lines = coarser && method.smoother == grid_smoother::lines;
    if (lines && method.host_vectors) {
      line_residual.resize(top.cells());
      line_sums.resize(top.cells());
    }
  }
  int most_plane = 0;  ///< cells of the largest plane between two levels
};

/// Puts a pool's rows of cells (and of faces along x) into halves, in place; and back.
template <class V>
void halve_rows(coefficients<V>& a);
template <class V>
void join_rows(coefficients<V>& a);

/// Levels down to 64 cells or fewer (1024 where coefficients jump, galerkin_bottom of Galerkin's
/// operators then). An axis is halved where its conductances are, on average, at least half of the
/// strongest axis's. singular: constants are in the null space. A method without levels has the
/// finest one alone, of which diagonals are of use.
template <class V>
hierarchy<V> make_hierarchy(coefficients<V> finest, bool singular, const chosen_method& method);
/// The rest of one whose levels above `top` are others' (those of ranks): what is said of these.
template <class V>
hierarchy<V> make_hierarchy(coefficients<V> top, bool singular, const chosen_method& method,
                            const grid_shape& finest, bool jumps);

/// They differ by more than 10 along an axis.
bool jumps(const axis_facts& f);
/// Axes whose mean is half of the strongest one's, or more.
std::array<bool, 3> halved_axes(const axis_facts& f);
/// Facts of the faces between cells before planes `own`.
/// first: the planes begin with the first one of the whole grid, whose face is none between cells.
template <class V>
axis_facts facts_of_axes(const coefficients<V>& a, plane_range own, bool first);

/// Colours of Gauss-Seidel on a grid of this shape: see level.
int colours_of(const grid_shape& g);
/// The step from a grid to one with half of the cells along these axes.
std::array<halved_axis, 3> step_axes(const grid_shape& g, const std::array<bool, 3>& halved);
/// Vectors, colours, inverse diagonals of a level whose `a`, `own` and `all` are there.
template <class V>
void begin_level(level<V>& l, const chosen_method& method);
/// Rows of the operator and of inverse diagonals into halves, where no level is made of it.
template <class V>
void finish_level(level<V>& l);
/// The operator with half of the cells along these axes, the weights to it, and then l's rows in
/// halves.
template <class V>
coefficients<V> halve_level(level<V>& l, const std::array<bool, 3>& halved);

/// A level of at most so many cells is the last one.
std::size_t bottom_cells_of(bool jumps, const chosen_method& method);

extern template void halve_rows(coefficients<double>&);
extern template void halve_rows(coefficients<float>&);
extern template void join_rows(coefficients<float>&);
extern template hierarchy<double> make_hierarchy(coefficients<double>, bool, const chosen_method&);
extern template hierarchy<float> make_hierarchy(coefficients<float>, bool, const chosen_method&);
extern template hierarchy<float> make_hierarchy(coefficients<float>, bool, const chosen_method&,
                                                const grid_shape&, bool);
extern template axis_facts facts_of_axes(const coefficients<float>&, plane_range, bool);
extern template void begin_level(level<float>&, const chosen_method&);
extern template void finish_level(level<float>&);
extern template coefficients<float> halve_level(level<float>&, const std::array<bool, 3>&);

}  // namespace dwell::grids
