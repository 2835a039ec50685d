// SPDX-License-Identifier: MIT
// How perks does beside the best of the peers: in one row, and as geometric means over systems that
// are small (barriers count) and large (bytes count).
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "linear/comparison.hpp"

namespace dwell::app {

/// Systems of more nonzeros are large.
inline constexpr index most_small_nonzeros = 1'500'000;

/// How many times faster than the fastest peer that was measured and, to a tolerance, converged.
/// 0 where there is none, for peers, and for a run that did not converge.
double over_best_peer(const comparison& c, const compared_matrix& m, const compared_run& run);

struct mean_over_peers {
  std::string variant, policy;    ///< choices of perks, as asked for
  std::size_t systems[2] = {};    ///< small and large ones, with this row and a peer's measured
  double geometric_mean[2] = {};  ///< 0 where there are no such systems
};

/// One of each combination of perks, in the order of the rows; none for less than two systems.
std::vector<mean_over_peers> means_over_peers(const comparison& c);

}  // namespace dwell::app
