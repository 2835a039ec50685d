// SPDX-License-Identifier: MIT
// A limit of thread block clusters.
#pragma once

namespace dwell {

/// The most thread blocks of a cluster (compute capability 9.0, non-portable size).
inline constexpr int most_cluster_teams = 16;

}  // namespace dwell
