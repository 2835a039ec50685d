// SPDX-License-Identifier: MIT
// Which levels of a cycle are one team's and which are visited again, and the rows that a team has
// for itself.
#pragma once
#include <cstddef>
#include <vector>

#include "dwell/solvers/grid/hierarchy.hpp"

namespace dwell::grids {

/// Cells of a level that a team more is worth; smaller levels are one team's. Where coefficients
/// jump, levels from a twelfth of the finest one's cells down are visited twice (a W-cycle).
inline constexpr std::size_t cells_per_team = 8192;
inline bool for_one_team(const grid_shape& g) { return g.cells() < 2 * cells_per_team; }
inline bool visited_again(const grid_shape& g, const grid_shape& finest) {
  return 12 * g.cells() <= finest.cells();
}

/// What a team needs besides: planes and rows between two levels.
template <class V>
struct cycle_rows {
  std::vector<V> plane[2], row, wide;
  explicit cycle_rows(const hierarchy<V>& h)
      : plane{std::vector<V>(std::size_t(h.most_plane)), std::vector<V>(std::size_t(h.most_plane))},
        row(h.zeros.size()),
        wide(h.zeros.size()) {}
};

}  // namespace dwell::grids
