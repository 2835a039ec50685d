// SPDX-License-Identifier: MIT
// The sizes of engine ring2d: what a kernel of a pass is compiled for, and what follows from it.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>

#include "dwell/device/backend.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// Warps of a team that compute are a chain: each makes the next `steps` steps of every row that
/// passes, and a ring of slots in scratch lies between two of them.
struct ring_config {
  int warps;         ///< that compute
  int steps;         ///< steps of a warp
  int across;        ///< neighbouring cells of a lane; odd, so that lanes read different banks
  int slots;         ///< slots of a ring
  int rows;          ///< rows of a slot
  int ahead;         ///< cells of a lane that are loaded ahead of their use
  int early;         ///< cells whose steps are made ahead of the sums of the rows that follow
  int teams = 1;     ///< on a multiprocessor
  bool bulk = true;  ///< bulk copies, and registers that warps hand over (ring_team_cuda.cuh)
};

/// Threads of a block: warps that compute, and two that move rows; where registers are handed over
/// these are a group of four.
constexpr int ring_lanes(const ring_config& c) { return 32 * (c.warps + (c.bulk ? 4 : 2)); }

/// A shape whose last row has taps in the cell's own column only, as stars do: a cell's steps are
/// then a chain that needs no neighbours.
template <class S>
inline constexpr bool ends_in_column = [] {
  for (const tap& t : S::taps)
    if (t.dy == radius_of<S> && t.dx != 0) return false;
  return true;
}();

/// Sizes that follow from a config.
template <class S, class T, ring_config C>
struct ring_sizes {
  using value = T;
  static constexpr ring_config config = C;
  static constexpr int radius = radius_of<S>;
  static constexpr int width = 32 * C.across;      ///< cells of a row that a team computes
  static constexpr int depth = C.warps * C.steps;  ///< steps of a pass
  static constexpr int halo = depth * radius;      ///< cells to either side that are lost in them
  static constexpr int own = width - 2 * halo;     ///< cells of an inner strip that are right
  static constexpr int unit = 16 / sizeof(T);      ///< values of the least bulk copy
  static constexpr int row_values = width + unit;  ///< a row may begin within a unit
  static constexpr int rings = C.warps + 1;
  static constexpr int aux_slots = 0, aux_rows = 0,
                       aux_arrays = 0;  ///< no rows that all warps read
  /// A pair of barriers for every slot lies behind all slots.
  static constexpr std::size_t slot_bytes = sizeof(T) * C.rows * row_values;
  static constexpr std::size_t scratch_bytes = rings * C.slots * (slot_bytes + 16);
  static_assert(own > 0 && (ends_in_column<S> ? radius : 2 * radius * C.steps) <= C.across &&
                C.slots >= 2 && C.across <= 32);
};

constexpr int odd_below(int n) { return n % 2 == 0 ? n - 1 : n; }

/// Config of a GPU whose warps hand registers over, found by trying: at most 90 sums of f64 stay in
/// a lane's registers, or twice as many of f32, beside the row that is being added. Where eight
/// steps would lose more than a quarter of a strip, two teams share a multiprocessor, with four
/// steps.
template <class S, class T>
constexpr ring_config bulk_ring_config() {
  constexpr int r = radius_of<S>;
  if constexpr (ends_in_column<S> && r >= 5 && sizeof(T) == 8)
    return {4, 1, odd_below(90 / (2 * r)), 3, 2, 4, 1, 2};
  if constexpr (sizeof(T) == 4) {
    constexpr int steps = r == 1 ? 3 : r == 2 && ends_in_column<S> ? 2 : 1;
    constexpr int across = std::min(31, odd_below((r == 1 ? 160 : 180) / (2 * r * steps)));
    return {8, steps, across, 3, 2, ends_in_column<S> ? 4 : 3, ends_in_column<S> ? 1 : 0};
  } else if constexpr (ends_in_column<S>) {
    if constexpr (r == 1) return {8, 3, 15, 3, 2, 4, 1};
    if constexpr (r == 2) return {8, 2, 11, 3, 2, 3, 0};
    return {8, 1, odd_below(90 / (2 * r)), 3, 2, 4, 1};
  } else {
    if constexpr (r == 1) return {8, 3, 15, 4, 1, 3, 0};
    if constexpr (r == 2) return {8, 1, 21, 2, 2, 2, 0};
    return {8, 1, odd_below(80 / (2 * r)), 3, 2, 2, 0};
  }
}
/// Config of other GPUs: 168 registers are a lane's, which hold two thirds of these sums; and the
/// rings fit in the 163 KiB of scratch of compute capability 8.0.
template <class S, class T>
constexpr ring_config plain_ring_config() {
  constexpr int r = radius_of<S>, most = (sizeof(T) == 4 ? 108 : 66) / (2 * r);
  ring_config c = bulk_ring_config<S, T>();
  c.across = std::clamp(odd_below(most / c.steps), r + 1 - r % 2, c.across);
  c.bulk = false;
  return c;
}

/// The kernels of passes on GPUs. Boxes of radius 4 and more have none: the sums that their lanes
/// need do not stay in registers, and the multiply-adds of a step, of 81 taps and more, take as
/// long as its traffic.
template <class S, class T>
constexpr auto gpu_ring_configs() {
  constexpr int most = ends_in_column<S> ? 6 : 3;
  if constexpr (S::dims != 2 || !is_linear<S> || most < radius_of<S>)
    return std::array<ring_config, 0>{};
  else
    return std::array{bulk_ring_config<S, T>(), plain_ring_config<S, T>()};
}

/// On CPUs, which play them for tests: small, so that small fields have several strips.
template <class S, class T>
constexpr auto cpu_ring_configs() {
  constexpr int r = radius_of<S>, steps = r == 1 ? 2 : 1;
  if constexpr (S::dims != 2 || !is_linear<S> || r > 6)
    return std::array<ring_config, 0>{};
  else
    return std::array{ring_config{3, steps, 2 * r * steps + 1, 3, 2, 1, 0}};
}

/// The kernels of a backend.
template <backend On, class S, class T>
constexpr auto ring_configs() {
  if constexpr (On == backend::cuda)
    return gpu_ring_configs<S, T>();
  else
    return cpu_ring_configs<S, T>();
}

}  // namespace dwell
