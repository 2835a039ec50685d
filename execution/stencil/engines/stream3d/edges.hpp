// SPDX-License-Identifier: MIT
// The rows that the warps of a team publish to each other in a stream in three dimensions: of every
// plane that leaves a time step for the next one, the first and last R rows of every warp. Warps
// lie below one another, so that each lane finds the cells above and below its tile with the same
// lane of the warps beside its own.
//
// Who reads what after which barrier: a team meets once per iteration. A plane that leaves a time
// step in iteration j is published after barrier j, and the next time step reads it after barrier
// j + 1. The planes of iteration j + 1 go into the other of two sets; the first set is written
// again in iteration j + 2, after barrier j + 2, to which no lane comes that still reads it.
#pragma once
#include "dwell/execution/stencil/engines/streams/sizes.hpp"

namespace dwell {

template <class S, class T>
class stream_edges {
 public:
  using tile = stream_tile<S, T>;
  using piece = cell_piece<T>;
  using layer = lane_layer<T, tile::cells>;

  explicit DWELL_FN stream_edges(T* scratch) : at_(scratch) {}

  /// The lane's plane that leaves time step t in iteration j.
  DWELL_FN void publish(int lane, int t, int j, const layer& v) const {
    DWELL_UNROLL
    for (int k = 0; k < R; ++k) {
      put_piece(row(lane, t, j, k), v, k * tile::across);
      put_piece(row(lane, t, j, R + k), v, (tile::down - R + k) * tile::across);
    }
  }
  /// Row k, above or below the lane's tile, of the plane that left time step t in iteration j. Rows
  /// above the first warp or below the last one are never used: these warps get their own.
  DWELL_FN piece beyond(int lane, int t, int j, int k) const {
    const int from = neighbour(lane, k);
    return *reinterpret_cast<const piece*>(row(from, t, j, k < 0 ? 2 * R + k : k - tile::down));
  }
  /// The lane whose tile has row k of this lane's.
  DWELL_FN static int neighbour(int lane, int k) {
    if (k < 0) return lane < 32 ? lane : lane - 32;
    return lane < perks_lanes - 32 ? lane + 32 : lane;
  }

 private:
  static constexpr int R = radius_of<S>;
  static_assert(S::dims != 3 || R <= tile::down,
                "a neighbour above or below is in the next warp's tile");

  /// k: of the rows that are published, the first ones before the last ones.
  DWELL_FN T* row(int lane, int t, int j, int k) const {
    return at_ + (((t * 2 + (j & 1)) * 2 * R + k) * perks_lanes + lane) * tile::across;
  }

  T* at_;
};

}  // namespace dwell
