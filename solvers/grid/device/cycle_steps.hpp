// SPDX-License-Identifier: MIT
// A cycle as a list of steps, and how rows and columns are dealt to teams.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "dwell/solvers/grid/device/args.hpp"
#include "dwell/solvers/grid/hierarchy.hpp"

namespace dwell::grids {

/// How work is dealt to so many teams of so many lanes.
struct deal_limits {
  int teams = 1, lanes = 32;
  std::size_t alone_cells = 1100;  ///< levels of at most so many cells are the first team's
  int alone_bottom = 128;          ///< bottoms of at most so many, below such a level
  bool guarded = false;            ///< for tests: see device_memory
};

/// There are no faces along y.
template <class V>
bool is_flat(const coefficients<V>& a) {
  return std::ranges::all_of(a.y, [](std::size_t place) { return place == 0; });
}

/// The steps of a cycle whose finest level has the first colour relaxed.
std::vector<cycle_step> cycle_steps(const hierarchy<level_value>& h, bool twice,
                                    const deal_limits& limits);
/// Steps of full multigrid, from f of a finest level whose u is 0: the first `down` take f to the
/// last level, with u = 0 above it.
struct full_steps {
  std::vector<cycle_step> all;
  std::size_t down = 0;
};
full_steps steps_of_full(const hierarchy<level_value>& h, bool twice, const deal_limits& limits);
/// The last two steps, relaxations of a finest level of two colours, are not taken as steps: all
/// teams take them, with a sum behind them.
bool ends_with_sum(const hierarchy<level_value>& h);
/// Barriers of all teams in these steps.
int barriers_of(const std::vector<cycle_step>& steps);
/// How the cells of `rows` rows of n are dealt to so many teams; alone: in pieces for one of them.
row_deal deal_of(int rows, int n, int teams, int lanes, bool alone = false);
/// How the columns of a grid of n cells along z, y and x are.
column_deal columns_of(const int (&n)[3], int teams, int lanes);
/// Kinds of cells along an axis (kind_of()): 1 of one cell, 3 of a ring of an odd number, else 2.
int kinds_along(const grid_shape& g, std::size_t axis);

}  // namespace dwell::grids
