// SPDX-License-Identifier: MIT
// The sizes of engine column3d: what a kernel of a pass is compiled for, and what follows from it.
#pragma once
#include <array>
#include <cstddef>

#include "dwell/device/backend.hpp"
#include "dwell/execution/stencil/cell/lanes.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// A team computes tiles of planes, of which each lane has `across` x `down` cells; its warps lie
/// one below the other.
struct column_config {
  int across, down;
  int steps;  ///< steps of a pass
  int ahead;  ///< planes that are on their way from memory
};

/// A shape whose last layer has taps in the cell's own row and column only, as stars do: the last
/// term of a sum needs no neighbour.
template <class S>
inline constexpr bool ends_in_cell = [] {
  for (const tap& t : S::taps)
    if (t.layer(S::dims) == radius_of<S> && (t.dx != 0 || (S::dims == 3 && t.dy != 0)))
      return false;
  return true;
}();

/// Columns at each side of a tile that it does not own: those that a pass loses, in whole pieces.
DWELL_HD constexpr int column_halo_x(const column_config& c, int radius) {
  return (c.steps * radius + c.across - 1) / c.across * c.across;
}

template <class S, class T, column_config C>
struct column_sizes {
  static constexpr int radius = radius_of<S>;
  static constexpr int across = C.across, down = C.down, cells = across * down;
  static constexpr int width = 32 * across, height = perks_warps * down;  ///< a team's tile
  static constexpr int halo = C.steps * radius;  ///< cells at each side that a pass loses
  static constexpr int halo_x = column_halo_x(C, radius);
  static constexpr int own_x = width - 2 * halo_x, own_y = height - 2 * halo;
  /// Planes by which a step is behind the one before it.
  static constexpr int lag = ends_in_cell<S> ? radius : radius + 1;
  /// The result of a pass is so many planes behind what comes in, the last one read that far.
  static constexpr int behind(int steps) { return (steps - 1) * lag + radius; }
  /// Planes that have come in, or are about to.
  static constexpr int slots = C.ahead + 1;
  static constexpr int plane_values = width * height;
  /// Rows that warps show each other, of what each step but the last leaves; in two sets.
  static constexpr int edge_rows = 2 * radius * perks_warps;
  static constexpr int edge_values = 2 * (C.steps - 1) * edge_rows * width;
  static constexpr std::size_t scratch_bytes =
      sizeof(T) * (std::size_t(slots) * plane_values + edge_values) +
      (height + width) * sizeof(int);
  static_assert(own_x > 0 && own_y > 0 && radius <= across && radius <= down);
};

/// Cells and steps whose sums stay in registers: measured on an H100, see the lab notebook. Shapes
/// of more than 80 taps have no kernels: the multiply-adds of a step take as long as its traffic,
/// so a pass of several steps gains nothing.
template <class S, class T>
constexpr auto gpu_column_configs() {
  constexpr int r = radius_of<S>;
  constexpr bool single = sizeof(T) == 4;
  if constexpr (S::dims != 3 || !is_linear<S> || r > 2 || 80 < tap_count<S>)
    return std::array<column_config, 0>{};
  else if constexpr (ends_in_cell<S>)
    return std::array{single   ? column_config{4, 4, r == 1 ? 4 : 2, 2}
                      : r == 1 ? column_config{2, 4, 4, 2}
                               : column_config{2, 5, 2, 2}};
  else
    return std::array{single   ? column_config{2, 6, r == 1 ? 4 : 2, 2}
                      : r == 1 ? column_config{2, 4, 3, 2}
                               : column_config{2, 4, 2, 2}};
}

/// On CPUs, which play them for tests: small, so that small fields have several tiles.
template <class S, class T>
constexpr auto cpu_column_configs() {
  constexpr int r = radius_of<S>;
  if constexpr (S::dims != 3 || !is_linear<S> || r > 2)
    return std::array<column_config, 0>{};
  else
    return std::array{column_config{2, 2, 2, 1}};
}

template <backend On, class S, class T>
constexpr auto column_configs() {
  if constexpr (On == backend::cuda)
    return gpu_column_configs<S, T>();
  else
    return cpu_column_configs<S, T>();
}

}  // namespace dwell
