// SPDX-License-Identifier: MIT
// The levels of a cycle one by one, of either kind: what the report, the explanation and the model
// of bytes say of them.
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "dwell/solvers/grid/prepared_grid.hpp"

namespace dwell::grids {

struct listed_level {
  grid_shape shape;
  std::array<bool, 3> halved{};     ///< axes z, y, x of which the next level has half
  int colours = 0;                  ///< those of Gauss-Seidel; 0: on Galerkin's levels
  bool lines = false;               ///< whole lines are relaxed
  bool bottom = false;              ///< solved by a factor
  bool one_team = false;            ///< has it to itself
  int visits = 1;                   ///< in a cycle
  std::size_t bytes = 0;            ///< u, f, coefficients and inverse diagonals, or the factor
  std::size_t bytes_per_cycle = 0;  ///< read or written by all visits, by the model
};

/// The finest first; none without multigrid. twice: small levels are visited twice.
std::vector<listed_level> list_levels(const hierarchy<level_value>& h, const chosen_method& method,
                                      bool twice);

/// Bytes that an iteration must move: its cycles, with all levels, and the method.
template <class T>
std::size_t iteration_bytes(const prepared_grid<T>& g, const hierarchy<level_value>& levels,
                            const chosen_method& method, bool twice) {
  std::size_t cycle = 0;
  for (const listed_level& l : list_levels(levels, method, twice)) cycle += l.bytes_per_cycle;
  return method_bytes(g, method) + std::size_t(facts_of(method.method).applications) * cycle;
}

}  // namespace dwell::grids
