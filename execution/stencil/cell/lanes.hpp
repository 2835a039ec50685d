// SPDX-License-Identifier: MIT
// The lanes of teams that cache cells on the chip, and how the cells of a lane lie. Eight warps a
// team, one team a multiprocessor: a lane may then have 255 registers, the most there are.
#pragma once

namespace dwell {

inline constexpr int perks_lanes = 256;
inline constexpr int perks_warps = perks_lanes / 32;

/// Cells of a lane along x.
constexpr int perks_across_of(int dims) { return dims == 3 ? 2 : 4; }
template <class S>
inline constexpr int perks_across = perks_across_of(S::dims);

/// Cells of a lane along y in one layer of a tile. A layer is a row of every warp in two
/// dimensions, and in three a plane: eight rows of neighbours serve four of one's own.
constexpr int perks_down_of(int dims) { return dims == 3 ? 4 : 1; }
template <class S>
inline constexpr int perks_down = perks_down_of(S::dims);

}  // namespace dwell
