// SPDX-License-Identifier: MIT
// Scratch that the teams of GPUs need for themselves, in files that know nothing of CUDA: plans are
// made in every build. kernels_cuda.cuh checks it against the teams.
#pragma once
#include <cstddef>

#include "dwell/execution/device/cluster.hpp"
#include "dwell/execution/krylov/alone_of.hpp"
#include "dwell/execution/krylov/program_traits.hpp"
#include "dwell/execution/team/partial_slots.hpp"

namespace dwell {

/// Bytes of a team of executor E that runs P by this config.
template <class P, class E>
constexpr std::size_t team_scratch_of(const program_config& c) {
  constexpr std::size_t warp = 32, buffers = 2, number = sizeof(double);
  if (alone_of<E>) return partial_slots * warp * number;
  if (many_columns<P>)  // two sums of each column and warp
    return buffers * 2 * column_count<P> * (static_cast<std::size_t>(c.lanes) / warp) * number;
  constexpr std::size_t sums = 6;  // five, and a word
  std::size_t all = buffers * sums * warp * number;
  if (E::launches_phases) return all + buffers * sums * number;  // sums of ranks
  if (c.caches) all += (partial_slots * most_cluster_teams + 2) * number;
  return all;
}

}  // namespace dwell
