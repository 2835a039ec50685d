// SPDX-License-Identifier: MIT
// What lanes of perks hold, in numbers: their cells, rows in registers, levels of a wave. Eight
// warps a team, one team a multiprocessor: a lane may then have 255 registers, the most there are.
#pragma once
#include <algorithm>
#include <type_traits>

#include "dwell/execution/core/sweep.hpp"
#include "dwell/execution/perks/wave_border.hpp"

namespace dwell {

inline constexpr int perks_lanes = 256;
inline constexpr int perks_warps = perks_lanes / 32;

/// Shares that a warp of a wave reads of in two dimensions, at most: four of each column.
inline constexpr int wave_neighbours = 12;
/// Numbers of flags that a team remembers, at most: of its own share and those around it, or of
/// its warps'.
inline constexpr int perks_flag_numbers = perks_warps * (1 + wave_neighbours);

/// The farthest neighbour that there are kernels for. In three dimensions a lane finds it in its
/// own cells or the next lane's, in two in those of the next two lanes. Linear stars of two
/// dimensions have a kernel more, whose rows in registers it must not pass (resident_rows.hpp).
template <class S>
inline constexpr int perks_most_radius = S::dims == 3                ? 2
                                         : is_linear<S>&& is_star<S> ? 6
                                                                     : 8;

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
/// trying. None of shapes that are not linear: a wave needs arithmetic of few registers.
template <class S>
constexpr int perks_levels() {
  constexpr int r = radius_of<S>;
  if constexpr (!is_linear<S>) return 0;
  if constexpr (S::dims == 3) return r == 1 ? 2 : 1;
  constexpr int values = is_star<S> ? (r <= 2 ? 72 : 80) : r == 2 ? 40 : 60;
  return std::clamp(values / (2 * r * perks_across<S>), 1, 8);
}

/// Where a wave remembers cells of a fixed border, and values of scratch for that. In two
/// dimensions windows hold them anyway, and with a radius of 1 a choice after every sum is faster
/// (measured).
template <class S, class T>
using wave_border =
    std::conditional_t<S::dims == 3, wave_border_planes<S, T, perks_levels<S>(), perks_warps>,
                       wave_border_rows<S, T, perks_levels<S>(), perks_warps>>;
template <class S>
inline constexpr bool wave_restores = S::dims == 3 || (radius_of<S> > 1 && !perks_windows<S>);
template <class S, class T>
constexpr int wave_border_values() {
  if constexpr (perks_levels<S>() > 0 && wave_restores<S>) return wave_border<S, T>::values;
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

}  // namespace dwell
