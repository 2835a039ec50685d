// SPDX-License-Identifier: MIT
// A plane of a block in scratch, with a halo of R cells: what a lane reads of its neighbours. Cells
// of a lane's columns lie in rows of their own, lanes side by side, so that a warp reads without
// bank conflicts whichever neighbour it asks for.
#pragma once
#include <bit>

#include "dwell/base/fn.hpp"
#include "dwell/execution/stencil/cell/lanes.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// Lanes hold `Across` x `Down` cells, 32 lanes across and a warp below the other.
template <int R, int Across, int Down, int Warps>
struct shared_plane {
  static_assert(R <= Across && R <= Down, "a neighbour lies in the lane itself or in the next one");
  static constexpr int width = 32 * Across, height = Warps * Down;
  static constexpr int lanes = 32 + 2;  ///< lanes of a row: one for the halo at either end
  static constexpr int pitch = Across * lanes;
  static constexpr int values = (height + 2 * R) * pitch;

  /// Where a cell lies, -R <= y < height + R and likewise x.
  DWELL_FN static int at(int y, int x) {
    const int k = x + Across;  // not negative
    return (y + R) * pitch + k % Across * lanes + k / Across;
  }
  /// From the first cell of a lane to one that is not more than R beyond its cells.
  DWELL_FN static constexpr int step(int dy, int dx) {
    const int k = dx + Across;
    return dy * pitch + k % Across * lanes + k / Across - 1;
  }
};

/// Planes of a block that its lanes read neighbours from. A star's neighbours in other planes are
/// the lane's own: two planes in turn. Else the R planes below and above, and one that is being
/// written.
template <class S>
using perks_plane = shared_plane<radius_of<S>, perks_across<S>, perks_down<S>, perks_warps>;
template <class S>
inline constexpr int perks_plane_slots =
    is_star<S> ? 2 : static_cast<int>(std::bit_ceil(2u * radius_of<S> + 2));

}  // namespace dwell
