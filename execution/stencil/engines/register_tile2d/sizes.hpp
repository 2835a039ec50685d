// SPDX-License-Identifier: MIT
// The sizes of tiles in two dimensions: rows in registers, and the rows that warps publish to each
// other.
#pragma once
#include <algorithm>

#include "dwell/execution/stencil/cell/lanes.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// Rows in registers: about 80 values of 8 bytes are for these and for the others that a lane
/// needs, the rows that are being computed and its neighbours' columns. More than 24 rows only make
/// code.
template <class S, class T>
constexpr int register_tile_rows() {
  constexpr int r = radius_of<S>, across = perks_across<S>;
  constexpr int columns = is_star<S> ? 2 * r : (2 * r + 1) * r + (r > 2 ? 8 : 0);
  constexpr int beside = r * across + columns + 2 * across + (is_linear<S> ? 0 : 10);
  constexpr int values = r == 1 ? 86 : 78;
  const int rows = (values * 8 / static_cast<int>(sizeof(T)) - beside) / across;
  return std::clamp(rows / 2 * 2, (r + 1) / 2 * 2, 24);
}

/// The rows that warps publish to each other in scratch, in values. Two sets in turn where they are
/// small, so that the team meets once per step.
template <class S>
inline constexpr int perks_edge_values = perks_warps * 2 * radius_of<S> * 32 * perks_across<S>;
template <class S, class T>
inline constexpr int perks_edge_sets = perks_edge_values<S> * sizeof(T) <= 32 * 1024 ? 2 : 1;

}  // namespace dwell
