// SPDX-License-Identifier: MIT
// What the warps of a team show each other in a wave in three dimensions: of every plane that
// leaves a level for the next one, the first and last R rows of every warp. Warps lie below one
// another, so that each lane finds the cells above and below its patch with the same lane of the
// warps beside its own.
//
// Who reads what after which meeting: a team meets once per turn. A plane that leaves a level in
// turn j is shown after meeting j, and the next level reads it after meeting j + 1. What is shown
// in turn j + 1 goes into the other of two sets, and in turn j + 2 the first set is written after
// meeting j + 2, to which no lane comes that still reads it.
#pragma once
#include "dwell/execution/perks/perks_rungs.hpp"

namespace dwell {

template <class S, class T>
class wave_edges {
 public:
  using patch = wave_patch<S, T>;
  using piece = cell_piece<T>;
  using layer = lane_layer<T, patch::cells>;

  explicit DWELL_FN wave_edges(T* scratch) : at_(scratch) {}

  /// The lane's plane that leaves level t in turn j.
  DWELL_FN void show(int lane, int t, int j, const layer& v) const {
    DWELL_UNROLL
    for (int k = 0; k < R; ++k) {
      put_piece(row(lane, t, j, k), v, k * patch::across);
      put_piece(row(lane, t, j, R + k), v, (patch::down - R + k) * patch::across);
    }
  }
  /// What stands in row k, above or below the lane's patch, of the plane that left level t in turn
  /// j. Nobody uses what lies above the first warp or below the last one: they get their own.
  DWELL_FN piece beyond(int lane, int t, int j, int k) const {
    const int from = neighbour(lane, k);
    return *reinterpret_cast<const piece*>(row(from, t, j, k < 0 ? 2 * R + k : k - patch::down));
  }
  /// The lane whose patch has row k of this lane's.
  DWELL_FN static int neighbour(int lane, int k) {
    if (k < 0) return lane < 32 ? lane : lane - 32;
    return lane < perks_lanes - 32 ? lane + 32 : lane;
  }

 private:
  static constexpr int R = radius_of<S>;
  static_assert(S::dims != 3 || R <= patch::down,
                "a neighbour above or below is in the next warp's patch");

  /// k: of the rows that are shown, the first ones before the last ones.
  DWELL_FN T* row(int lane, int t, int j, int k) const {
    return at_ + (((t * 2 + (j & 1)) * 2 * R + k) * perks_lanes + lane) * patch::across;
  }

  T* at_;
};

}  // namespace dwell
