// SPDX-License-Identifier: MIT
// The rungs of perks: how many cells a lane holds in registers. Eight warps a team, one team a
// multiprocessor: a lane may then have 255 registers, the most there are.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

#include "dwell/execution/core/sweep.hpp"
#include "dwell/execution/core/sweep_plan.hpp"
#include "dwell/execution/perks/brick_plane.hpp"

namespace dwell {

inline constexpr int perks_lanes = 256;
inline constexpr int perks_warps = perks_lanes / 32;

/// Cells of a lane along x.
template <class S>
inline constexpr int perks_across = S::dims == 3 ? 2 : 4;

/// Cells of a lane along y in one layer of a tile. A layer is a row of every warp in two
/// dimensions, and in three a plane: eight rows of neighbours serve four of one's own.
template <class S>
inline constexpr int perks_down = S::dims == 3 ? 4 : 1;

/// Rows in registers in two dimensions: 78 values of 8 bytes are for these and for what a lane
/// needs besides, the rows that are being computed and its neighbours' columns. More than 24 rows
/// only make text.
template <class S, class T>
constexpr int perks_register_rows() {
  constexpr int r = radius_of<S>, across = perks_across<S>;
  constexpr int columns = is_star<S> ? 2 * r : (2 * r + 1) * r + (r > 2 ? 8 : 0);
  constexpr int beside = r * across + columns + 2 * across + (is_linear<S> ? 0 : 16);
  constexpr int values = 78;
  const int rows = (values * 8 / static_cast<int>(sizeof(T)) - beside) / across;
  return std::clamp(rows / 2 * 2, (r + 1) / 2 * 2, 24);
}

/// The rungs of a shape: as many layers in registers as do not spill. In two dimensions a tile that
/// is in registers whole has a kernel to itself: that one reaches the arithmetic's limit.
template <class S, class T>
constexpr auto rungs_of_perks() {
  constexpr int across = perks_across<S>, down = perks_down<S>;
  const sweep_rung none = {perks_lanes, 1, across, 0, down, true};
  if constexpr (S::dims == 3) {
    const int planes = sizeof(T) == 4 ? 8 : radius_of<S> == 1 ? 5 : 4;
    return std::array{sweep_rung{perks_lanes, 1, across, planes, down, true}, none};
  } else {
    constexpr int rows = perks_register_rows<S, T>();
    // Of 2ds9pt in f64 one row more spills where there are others.
    constexpr bool tight = is_star<S> && radius_of<S> == 2 && sizeof(T) == 8;
    return std::array{sweep_rung{perks_lanes, 1, across, rows, down, false, false},
                      sweep_rung{perks_lanes, 1, across, rows - 2 * tight, down, true, false},
                      none};
  }
}
template <class S, class T>
inline constexpr auto perks_rungs = rungs_of_perks<S, T>();

/// f(std::integral_constant<int, rung>).
template <class S, class T, int Rung = 0, class F>
auto with_perks_rung(int rung, F&& f) {
  if constexpr (Rung + 1 < static_cast<int>(perks_rungs<S, T>.size()))
    if (rung != Rung) return with_perks_rung<S, T, Rung + 1>(rung, f);
  return f(std::integral_constant<int, Rung>{});
}

/// Values of all lanes in one layer.
template <class S>
inline constexpr int perks_layer_values = perks_lanes* perks_across<S>* perks_down<S>;

/// The rows that warps show each other in scratch, in values. Two sets in turn where they are
/// small, so that the team meets once per step.
template <class S, class T>
inline constexpr int perks_edge_values = perks_warps * 2 * radius_of<S> * 32 * perks_across<S>;
template <class S, class T>
inline constexpr int perks_edge_sets = perks_edge_values<S, T> * sizeof(T) <= 32 * 1024 ? 2 : 1;

/// Planes of a brick that its lanes read neighbours from. A star's neighbours in other planes are
/// the lane's own: two planes in turn. Else those R below and above, and one that is being written.
template <class S>
using perks_plane = brick_plane<radius_of<S>, perks_across<S>, perks_down<S>, perks_warps>;
template <class S>
inline constexpr int perks_plane_slots =
    is_star<S> ? 2 : static_cast<int>(std::bit_ceil(2u * radius_of<S> + 2));

/// Scratch that a kernel needs even if no layers stay there: the looks, what lanes show each other,
/// and where the tile lies. 128: every piece begins at a multiple of 16 bytes.
template <class S, class T>
constexpr std::size_t perks_scratch_bytes(const sweep_rung& rung) {
  std::size_t values = 0, places = 0;
  if constexpr (S::dims == 3) {
    values = static_cast<std::size_t>(perks_plane_slots<S>) * perks_plane<S>::values;
  } else {
    constexpr std::size_t width = 32 * perks_across<S>;
    values = static_cast<std::size_t>(perks_edge_values<S, T>) * perks_edge_sets<S, T>;
    if (rung.register_rows > 0) values += 2 * radius_of<S> * width;
    places = (width + 8) * sizeof(int) +
             static_cast<std::size_t>(perks_warps * rung.register_rows) * sizeof(std::ptrdiff_t);
  }
  return 128 + perks_lanes * sizeof(double) + sizeof(T) * values + places;
}

}  // namespace dwell
