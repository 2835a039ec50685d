// SPDX-License-Identifier: MIT
// How a grid is divided among ranks: into slabs of planes, the slowest axis being cut. Cuts are at
// multiples of a power of two, so that on each level that is divided a cell between two coarse ones
// and the coarse one after it are one rank's. Values and pure functions.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "dwell/solvers/grid/coefficients.hpp"
#include "dwell/solvers/grid/plane_team.hpp"

namespace dwell::grids {

/// Planes of all ranks: rank r has [first[r], first[r + 1]).
struct slab_division {
  int planes = 0;
  bool ring = false;
  /// Cuts are multiples of 2^halvings. A level is divided if planes have been halved less often; 0:
  /// none is (a ring of an odd number of planes).
  int halvings = 0;
  std::vector<int> first;

  int ranks() const { return static_cast<int>(first.size()) - 1; }
  plane_range own(int rank) const {
    return {first[static_cast<std::size_t>(rank)], first[static_cast<std::size_t>(rank) + 1]};
  }
  int most() const {
    int m = 0;
    for (int r = 0; r < ranks(); ++r) m = std::max(m, own(r).size());
    return m;
  }
  /// The rank that has a plane; in a ring planes go on beyond both ends.
  int owner(int plane) const {
    const int p = wrapped(plane);
    return static_cast<int>(std::upper_bound(first.begin(), first.end(), p) - first.begin()) - 1;
  }
  int wrapped(int plane) const { return ring ? (plane % planes + planes) % planes : plane; }
  /// The rank with the planes before (step -1) or after (1) those of a rank; -1: there is none.
  int neighbour(int rank, int step) const {
    if (ranks() == 1) return -1;
    const int to = rank + step;
    if (ring) return (to + ranks()) % ranks();
    return to < 0 || to >= ranks() ? -1 : to;
  }
};

/// A grid of one rank or more. gather_below: levels of fewer cells are one rank's. Throws
/// input_error if there are more ranks than pairs of planes.
slab_division divide_planes(const grid_shape& g, int ranks, std::size_t gather_below);

/// Should a level of so many cells be one rank's, among so many ranks? Those of few cells, and
/// those whose work is next to nothing of a rank's part of the finest one's.
inline bool gathers(std::size_t cells, std::size_t finest, int ranks, std::size_t gather_below) {
  return cells < gather_below || 20 * cells * std::size_t(ranks) < finest;
}

/// A rank's planes among copies of others', from which it makes its levels. What others have in
/// these planes is right on the finest level, and as far as levels need it.
struct slab {
  int rank = 0;
  int lower = -1, upper = -1;  ///< ranks with the planes before and after
  int start = 0;    ///< plane of the whole grid that is the first one here; < 0 in a ring
  int planes = 0;   ///< here
  plane_range own;  ///< numbered here
  bool cut_low = false, cut_high = false;  ///< the slab ends there inside the grid
};
slab slab_of(const slab_division& all, int rank);

}  // namespace dwell::grids
