// SPDX-License-Identifier: MIT
// The rungs of perks: how many cells a lane holds in registers, and the scratch of a team.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dwell/execution/core/sweep.hpp"
#include "dwell/execution/core/sweep_args.hpp"
#include "dwell/execution/perks/brick_plane.hpp"
#include "dwell/execution/perks/kept_layers.hpp"
#include "dwell/execution/perks/perks_sizes.hpp"
#include "dwell/execution/perks/resident_sizes.hpp"
#include "dwell/execution/perks/wave_patch.hpp"

namespace dwell {

/// So many layers in registers and others elsewhere; in two dimensions those in any order, and with
/// rows in registers no source, for which there is no room.
template <class S>
constexpr sweep_rung rung_of_some(int in_registers) {
  constexpr bool flat = S::dims == 2;
  return {.lanes = perks_lanes,
          .teams_per_unit = 1,
          .across = perks_across<S>,
          .register_rows = in_registers,
          .down = perks_down<S>,
          .source = !flat || in_registers == 0,
          .fetched = fetch_ahead<S::dims>,
          .orders = flat};
}
/// A tile that is in registers whole; in three dimensions, and where warps own shares, the layers
/// behind these in scratch.
template <class S>
constexpr sweep_rung rung_of_whole(int in_registers) {
  return {.lanes = perks_lanes,
          .teams_per_unit = 1,
          .across = perks_across<S>,
          .register_rows = in_registers,
          .down = perks_down<S>,
          .rest = false,
          .source = false};
}
/// Warps that own shares which are on the chip whole (resident_rows.hpp).
template <class S>
constexpr sweep_rung rung_of_warps() {
  sweep_rung r = rung_of_whole<S>(resident_rows_kept<S>());
  r.warp_shares = true;
  r.shown_rows = resident_rows_shown<S>;
  return r;
}
/// Passes of several steps.
template <class S, class T>
constexpr sweep_rung rung_of_wave() {
  using patch = wave_patch<S, T>;
  return {.lanes = perks_lanes,
          .teams_per_unit = 1,
          .across = patch::across,
          .down = patch::down,
          .levels = perks_levels<S>()};
}

/// The rungs of a shape: as many layers in registers as do not spill. In two dimensions a tile that
/// is in registers whole has a kernel to itself: that one reaches the arithmetic's limit. In three
/// the kernels for other orders of planes are apart: the plain ones have no register to spare.
template <class S, class T>
constexpr auto rungs_of_perks() {
  static_assert(radius_of<S> <= perks_most_radius<S>,
                "a stencil's radius is at most 2 in three dimensions, in two 6 if it is a linear "
                "star, else 8");
  constexpr int r = radius_of<S>;
  constexpr sweep_rung none = rung_of_some<S>(0);
  if constexpr (S::dims == 3) {
    constexpr sweep_rung kept = rung_of_some<S>(sizeof(T) == 4 ? 8 : r == 1 ? 5 : 4);
    constexpr auto ordered = [](sweep_rung rung) {  // planes that are put aside take registers
      if (r > 1 && rung.register_rows > 0) --rung.register_rows;
      rung.orders = true;
      return rung;
    };
    if constexpr (!is_linear<S>)
      return std::array{kept, none, ordered(kept), ordered(none)};
    else
      return std::array{rung_of_whole<S>(r == 1 ? 4 : 3),
                        kept,
                        none,
                        rung_of_wave<S, T>(),
                        ordered(kept),
                        ordered(none)};
  } else {
    constexpr int rows = perks_register_rows<S, T>();
    // The loops over other rows need registers of their own.
    constexpr int fewer = !is_linear<S> ? 4
                          : !is_star<S> ? 2 * r
                          : r == 1      ? 1
                          : r == 2      ? 4
                          : r <= 4      ? 2
                                        : 4;
    constexpr int least = (r + 1) / 2 * 2;
    constexpr sweep_rung whole = rung_of_whole<S>(rows);
    constexpr sweep_rung some = rung_of_some<S>(std::max(rows - fewer, least));
    // The window of a large box leaves no registers for rows that stay.
    if constexpr (!is_linear<S>)
      return std::array{whole, some, none};
    else if constexpr (!is_star<S> && r > 2)
      return std::array{whole, none, rung_of_wave<S, T>()};
    else if constexpr (is_star<S> && r == 1)  // a tile of fewer rows is done sooner
      return std::array{whole, rung_of_whole<S>(rows - 2), some,
                        none,  rung_of_wave<S, T>(),       rung_of_warps<S>()};
    else
      return std::array{whole, some, none, rung_of_wave<S, T>(), rung_of_warps<S>()};
  }
}
template <class S, class T>
inline constexpr auto perks_rungs = [] {
  auto all = rungs_of_perks<S, T>();
  for (sweep_rung& r : all) r.keeps = true;
  return all;
}();

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

/// Planes of a wave from memory that are under way at a time, 32 KB each; one more is being read.
inline constexpr int wave_planes_ahead = 2;

/// The same of a wave.
template <class S, class T>
inline constexpr int wave_layer_values = perks_lanes* wave_patch<S, T>::cells;

/// The rows that warps show each other of the planes that leave one level, in two sets.
template <class S, class T>
inline constexpr int wave_edge_values = 4 * radius_of<S>* perks_lanes* wave_patch<S, T>::across;

/// The layers that are not in registers.
template <class S, class T>
using perks_layers =
    kept_layers<T, perks_across<S> * perks_down<S>, perks_lanes, fetch_ahead<S::dims>>;

/// Layers of scratch in which a pass that does not go straight down keeps rows as they were. Bricks
/// go up through all of their planes, and need none for that.
template <class S>
DWELL_HD int perks_stash_layers(const sweep_plan& p) {
  constexpr int turning = S::dims == 3 ? 0 : 2 * radius_of<S>;
  return static_cast<int>(p.order == traversal::zig_zag) * turning +
         static_cast<int>(p.order == traversal::ring) * radius_of<S>;
}

/// Scratch for layers, and in two dimensions for the cells of kept ones that keep their values.
template <class S, class T>
std::size_t perks_layer_bytes(const sweep_plan& p) {
  const auto kept = static_cast<std::size_t>(p.scratch_rows);
  if (perks_rungs<S, T>[static_cast<std::size_t>(p.rung)].levels > 0)
    return kept * wave_layer_values<S, T> * sizeof(T);
  if (perks_rungs<S, T>[static_cast<std::size_t>(p.rung)].warp_shares)
    return kept * perks_layer_values<S> * sizeof(T);
  const std::size_t layers =
      kept + (p.streamed_rows > 0 ? fetch_ahead<S::dims> : 0) + perks_stash_layers<S>(p);
  const std::size_t still = S::dims == 2 ? kept * perks_warps * 2 * radius_of<S> : 0;
  return (layers * perks_layer_values<S> + still) * sizeof(T);
}

/// The layers of a team, of which `used` lanes of a warp hold something.
template <class Layers, class S, class T, class Team>
DWELL_FN Layers layers_of(Team& team, const sweep_call<S, T>& a, int used = 32) {
  constexpr int values = perks_layer_values<S>;
  T* kept = team.template scratch<T>(a.plan.scratch_rows * values);
  T* ring = a.plan.streamed_rows > 0 ? team.template scratch<T>(Layers::ring_values) : nullptr;
  T* streamed =
      a.streamed + static_cast<std::size_t>(team.worker()) * a.plan.streamed_rows * values;
  return {kept, a.plan.scratch_rows,    streamed, a.plan.streamed_rows,
          ring, team.worker() % 2 != 0, used};
}

/// The rows that warps show each other in scratch, in values. Two sets in turn where they are
/// small, so that the team meets once per step.
template <class S>
inline constexpr int perks_edge_values = perks_warps * 2 * radius_of<S> * 32 * perks_across<S>;
template <class S, class T>
inline constexpr int perks_edge_sets = perks_edge_values<S> * sizeof(T) <= 32 * 1024 ? 2 : 1;

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
  if (rung.levels > 0) {
    using patch = wave_patch<S, T>;
    // In three dimensions the columns and rows of the team, and the rows that its warps show each
    // other; in two the columns of all warps, and the rows of their rims.
    constexpr bool solid = S::dims == 3;
    const int rows = 2 * rung.levels * radius_of<S>;
    const int numbers =
        solid ? patch::width + perks_warps * patch::down : perks_warps * (patch::width + rows);
    values = static_cast<std::size_t>(solid ? wave_planes_ahead + 1 : fetch_ahead<2>) *
                 wave_layer_values<S, T> +
             wave_border_values<S, T>();
    if constexpr (solid)
      values += static_cast<std::size_t>(wave_edge_values<S, T>) * (rung.levels - 1);
    places = static_cast<std::size_t>(numbers) * sizeof(int) + perks_lanes * sizeof(wave_habits);
  } else if (rung.warp_shares) {
    values = static_cast<std::size_t>(perks_warps * resident_side_values<S, T>);
  } else if (S::dims == 3 && !rung.rest) {
    values = static_cast<std::size_t>(2 * resident_shown_values<S> +
                                      (resident_rims_ahead + 1) * resident_rim_values<S>);
  } else if constexpr (S::dims == 3) {
    values = static_cast<std::size_t>(perks_plane_slots<S>) * perks_plane<S>::values;
  } else {
    constexpr std::size_t width = 32 * perks_across<S>;
    values = static_cast<std::size_t>(perks_edge_values<S>) * perks_edge_sets<S, T>;
    if (rung.register_rows > 0)
      values +=
          2 * radius_of<S> * (width + perks_warps * static_cast<std::size_t>(rung.register_rows));
    if (!rung.rest) values += width * perks_warps * static_cast<std::size_t>(rung.register_rows);
    places = (width + 8) * sizeof(int) +
             static_cast<std::size_t>(perks_warps * rung.register_rows) * sizeof(std::ptrdiff_t) +
             (rung.rest ? 0 : perks_lanes * 2 * sizeof(std::uint32_t));
  }
  places += perks_flag_numbers * sizeof(int);
  const auto looks = static_cast<std::size_t>(rung.warp_shares ? 0 : rung.lanes) * sizeof(double);
  return 128 + looks + sizeof(T) * values + places;
}

}  // namespace dwell
