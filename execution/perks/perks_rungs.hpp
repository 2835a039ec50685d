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
#include "dwell/execution/core/sweep_args.hpp"
#include "dwell/execution/perks/brick_plane.hpp"
#include "dwell/execution/perks/kept_layers.hpp"
#include "dwell/execution/perks/resident_sizes.hpp"
#include "dwell/execution/perks/wave_border.hpp"
#include "dwell/execution/perks/wave_patch.hpp"

namespace dwell {

inline constexpr int perks_lanes = 256;
inline constexpr int perks_warps = perks_lanes / 32;

/// Shares that a warp of a wave reads of in two dimensions, at most: four of each column.
inline constexpr int wave_neighbours = 12;
/// Numbers of flags that a team remembers, at most: of its own share and those around it, or of
/// its warps'.
inline constexpr int perks_flag_numbers = perks_warps * (1 + wave_neighbours);

/// Cells of a lane along x.
template <class S>
inline constexpr int perks_across = S::dims == 3 ? 2 : 4;

/// Cells of a lane along y in one layer of a tile. A layer is a row of every warp in two
/// dimensions, and in three a plane: eight rows of neighbours serve four of one's own.
template <class S>
inline constexpr int perks_down = S::dims == 3 ? 4 : 1;

/// Rows in registers in two dimensions: about 80 values of 8 bytes are for these and for what a
/// lane needs besides, the rows that are being computed and its neighbours' columns. More than 24
/// rows only make text.
template <class S, class T>
constexpr int perks_register_rows() {
  constexpr int r = radius_of<S>, across = perks_across<S>;
  constexpr int columns = is_star<S> ? 2 * r : (2 * r + 1) * r + (r > 2 ? 8 : 0);
  constexpr int beside = r * across + columns + 2 * across + (is_linear<S> ? 0 : 10);
  constexpr int values = r == 1 ? 86 : 78;
  const int rows = (values * 8 / static_cast<int>(sizeof(T)) - beside) / across;
  return std::clamp(rows / 2 * 2, (r + 1) / 2 * 2, 24);
}

/// How a level of a wave remembers (wave_level.hpp): by windows, or by sums.
template <class S>
inline constexpr bool perks_windows = S::dims == 2 && is_star<S>&& radius_of<S> == 1;

/// Steps that a wave takes in one pass: as many as the registers of a lane hold levels for, each of
/// which remembers 2R layers. `values` is what that leaves room for beside the arithmetic, found by
/// trying. None where bricks are faster whatever the size.
template <class S, class T>
constexpr int perks_levels() {
  constexpr int r = radius_of<S>;
  if constexpr (!is_linear<S> || (S::dims == 3 && r > 2)) return 0;
  if constexpr (S::dims == 3) return r == 1 ? 2 : 1;
  constexpr int values = is_star<S> ? (r <= 2 ? 72 : 80) : r == 2 ? 40 : 60;
  return std::clamp(values / (2 * r * perks_across<S>), 1, 8);
}

/// Where a wave remembers cells of a fixed border, and values of scratch for that. In two
/// dimensions windows hold them anyway, and with a radius of 1 a choice after every sum is faster
/// (measured).
template <class S, class T>
using wave_border =
    std::conditional_t<S::dims == 3, wave_border_planes<S, T, perks_levels<S, T>(), perks_warps>,
                       wave_border_rows<S, T, perks_levels<S, T>(), perks_warps>>;
template <class S, class T>
inline constexpr bool wave_restores = S::dims == 3 || (radius_of<S> > 1 && !perks_windows<S>);
template <class S, class T>
constexpr int wave_border_values() {
  if constexpr (perks_levels<S, T>() > 0 && wave_restores<S, T>) return wave_border<S, T>::values;
  return 0;
}

/// A resident brick (resident_brick.hpp): the rows of a plane that a warp shows others, the first
/// and last R; values of a plane that is shown; planes whose rims are under way at a time; values
/// of one rim.
inline constexpr int resident_height = 32;
template <class S>
inline constexpr int resident_edge_rows = std::min(2 * radius_of<S>, perks_down<S>);
template <class S>
inline constexpr int resident_shown_values =
    perks_warps* resident_edge_rows<S> * 32 * perks_across<S>;
inline constexpr int resident_rims_ahead = 3;
template <class S>
inline constexpr int resident_rim_values = 2 * perks_across<S>*(32 * radius_of<S> +
                                                                resident_height + 2 * radius_of<S>);

/// The rungs of a shape: as many layers in registers as do not spill. In two dimensions a tile that
/// is in registers whole has a kernel to itself: that one reaches the arithmetic's limit. In three
/// the kernels for other orders of planes are apart: the plain ones have no register to spare.
template <class S, class T>
constexpr auto rungs_of_perks() {
  constexpr int across = perks_across<S>, down = perks_down<S>;
  constexpr int ahead = fetch_ahead<S::dims>;
  constexpr bool flat = S::dims == 2;
  constexpr sweep_rung none = {perks_lanes, 1, across, 0, down, true, true, ahead, 0, flat};
  using patch = wave_patch<S, T>;
  [[maybe_unused]] constexpr sweep_rung wave = {
      perks_lanes, 1, patch::across, 0, patch::down, true, true, 0, perks_levels<S, T>()};
  if constexpr (S::dims == 3) {
    constexpr int planes = sizeof(T) == 4 ? 8 : radius_of<S> == 1 ? 5 : 4;
    constexpr sweep_rung kept = {perks_lanes, 1, across, planes, down, true, true, ahead};
    constexpr auto ordered = [](sweep_rung r) {  // planes that are put aside take registers
      if (radius_of < S >> 1 && r.register_rows > 0) --r.register_rows;
      r.orders = true;
      return r;
    };
    [[maybe_unused]] constexpr sweep_rung resident = {
        perks_lanes, 1, across, radius_of<S> == 1 ? 4 : 3, down, false, false};
    if constexpr (perks_levels<S, T>() == 0 && !is_linear<S>)
      return std::array{kept, none, ordered(kept), ordered(none)};
    else if constexpr (perks_levels<S, T>() == 0)
      return std::array{resident, kept, none, ordered(kept), ordered(none)};
    else
      return std::array{resident, kept, none, wave, ordered(kept), ordered(none)};
  } else {
    constexpr int rows = perks_register_rows<S, T>();
    // The loops over other rows need registers of their own.
    constexpr int r = radius_of<S>;
    constexpr int fewer = !is_linear<S> ? 4
                          : !is_star<S> ? 2 * r
                          : r == 1      ? 1
                          : r == 2      ? 4
                          : r <= 4      ? 2
                                        : 4;
    constexpr int least = (r + 1) / 2 * 2;
    constexpr sweep_rung solid = {perks_lanes, 1, across, rows, down, false, false, 0};
    [[maybe_unused]] constexpr sweep_rung resident = [] {
      sweep_rung r = {perks_lanes, 1,     perks_across<S>, resident_rows_kept<S, T>(),
                      1,           false, false,           0};
      r.warp_shares = true;
      r.shown_rows = resident_rows_shown<S>;
      return r;
    }();
    // Waves need arithmetic of few registers. The window of a large box leaves none for rows that
    // stay.
    if constexpr (!is_linear<S>)
      return std::array{solid,
                        sweep_rung{perks_lanes, 1, across, std::max(rows - fewer, least), down,
                                   true, false, ahead, 0, true},
                        none};
    else if constexpr (!is_star<S> && r > 2)
      return std::array{solid, none, wave};
    else if constexpr (is_star<S> && r == 1)  // a tile of fewer rows is done sooner
      return std::array{
          solid,
          sweep_rung{perks_lanes, 1, across, rows - 2, down, false, false, 0},
          sweep_rung{perks_lanes, 1, across, rows - fewer, down, true, false, ahead, 0, true},
          none,
          wave,
          resident};
    else
      return std::array{solid,
                        sweep_rung{perks_lanes, 1, across, std::max(rows - fewer, least), down,
                                   true, false, ahead, 0, true},
                        none, wave, resident};
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
    values = static_cast<std::size_t>(perks_edge_values<S, T>) * perks_edge_sets<S, T>;
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
