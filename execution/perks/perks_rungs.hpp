// SPDX-License-Identifier: MIT
// The rungs of perks: how many cells a lane holds in registers. Eight warps a team, one team a
// multiprocessor: a lane may then have 255 registers, the most there are.
#pragma once
#include <algorithm>

#include "dwell/execution/core/sweep.hpp"
#include "dwell/execution/core/sweep_plan.hpp"

namespace dwell {

inline constexpr int perks_lanes = 256;
inline constexpr int perks_warps = perks_lanes / 32;

/// Cells of a lane along x: a neighbour must lie in the lane itself or in the next one.
template <class S>
inline constexpr int perks_across = radius_of<S> <= 4 ? 4 : 6;

/// Rows in registers, from what a lane needs besides: the window of rows that are being computed,
/// its neighbours' columns. 90 values of 8 bytes leave 75 registers for the rest; more than 24
/// rows only make text.
template <class S, class T>
constexpr int perks_register_rows() {
  constexpr int r = radius_of<S>, across = perks_across<S>;
  constexpr int values = sizeof(T) == 8 ? 90 : 180;
  constexpr int beside = r * across + (is_star<S> ? 1 : 2 * r + 1) * 2 * r + 2 * across;
  return std::clamp((values - beside) / across / 2 * 2, (r + 1) / 2 * 2, 24);
}

template <class S, class T>
inline constexpr sweep_rung perks_rungs[] = {
    {perks_lanes, 1, perks_across<S>, perks_register_rows<S, T>()},
    {perks_lanes, 1, perks_across<S>, 0}};

/// The rows that warps show each other in scratch, in values. Two sets in turn where they are
/// small, so that the team meets once per step.
template <class S, class T>
inline constexpr int perks_edge_values = perks_warps * 2 * radius_of<S> * 32 * perks_across<S>;
template <class S, class T>
inline constexpr int perks_edge_sets = perks_edge_values<S, T> * sizeof(T) <= 32 * 1024 ? 2 : 1;

/// Scratch that the kernel needs even if no rows stay there: the looks, the rows that warps show
/// each other, and where the tile lies.
template <class S, class T>
inline constexpr std::size_t perks_scratch_bytes =
    perks_lanes * sizeof(double) + sizeof(T) * perks_edge_values<S, T>* perks_edge_sets<S, T> +
    sizeof(int) * (32 * perks_across<S> + perks_warps * perks_register_rows<S, T>() + 8);

}  // namespace dwell
