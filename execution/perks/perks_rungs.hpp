// SPDX-License-Identifier: MIT
// The rungs of perks: how many cells a lane holds in registers. Eight warps a team, one team a
// multiprocessor: a lane may then have 255 registers, the most there are.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>

#include "dwell/execution/core/sweep.hpp"
#include "dwell/execution/core/sweep_plan.hpp"
#include "dwell/execution/perks/brick_plane.hpp"

namespace dwell {

inline constexpr int perks_lanes = 256;
inline constexpr int perks_warps = perks_lanes / 32;

/// Cells of a lane along x: a neighbour must lie in the lane itself or in the next one.
template <class S>
inline constexpr int perks_across = S::dims == 3        ? 2
                                    : radius_of<S> <= 4 ? 4
                                                        : 6;

/// Cells of a lane along y in one layer of a tile. A layer is a row of every warp in two
/// dimensions, and in three a plane: eight rows of neighbours serve four of one's own.
template <class S>
inline constexpr int perks_down = S::dims == 3 ? 4 : 1;

/// Layers in registers. In two dimensions from what a lane needs besides: the window of rows that
/// are being computed, its neighbours' columns. 90 values of 8 bytes leave 75 registers for the
/// rest; more than 24 rows only make text.
template <class S, class T>
constexpr int perks_register_rows() {
  if constexpr (S::dims == 3) {
    return sizeof(T) == 4 ? 8 : radius_of<S> == 1 ? 5 : 4;  // one more spills
  } else {
    constexpr int r = radius_of<S>, across = perks_across<S>;
    constexpr int values = sizeof(T) == 8 ? 90 : 180;
    constexpr int beside = r * across + (is_star<S> ? 1 : 2 * r + 1) * 2 * r + 2 * across;
    return std::clamp((values - beside) / across / 2 * 2, (r + 1) / 2 * 2, 24);
  }
}

template <class S, class T>
inline constexpr sweep_rung perks_rungs[] = {
    {perks_lanes, 1, perks_across<S>, perks_register_rows<S, T>(), perks_down<S>},
    {perks_lanes, 1, perks_across<S>, 0, perks_down<S>}};

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

/// Scratch that the kernel needs even if no layers stay there: the looks, what lanes show each
/// other, and where the tile lies.
template <class S, class T>
constexpr std::size_t scratch_of_perks() {
  std::size_t values = 0, places = 0;
  if constexpr (S::dims == 3) {
    values = static_cast<std::size_t>(perks_plane_slots<S>) * perks_plane<S>::values;
  } else {
    values = static_cast<std::size_t>(perks_edge_values<S, T>) * perks_edge_sets<S, T>;
    places = 32 * perks_across<S> + perks_warps * perks_register_rows<S, T>() + 8;
  }
  return perks_lanes * sizeof(double) + sizeof(T) * values + sizeof(int) * places;
}
template <class S, class T>
inline constexpr std::size_t perks_scratch_bytes = scratch_of_perks<S, T>();

}  // namespace dwell
