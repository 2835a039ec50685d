// SPDX-License-Identifier: MIT
// The policies for Sweeps that keep tiles of the field on the chip. Each names what may be kept:
//   none       nothing: all rows stream        registers  what fits there, the rest streams
//   shared     what fits in scratch            both, greedy  registers first, then scratch
//   model      of all these the least projected time; auto is the same
//   measured   the caller times the most promising of them
// On a GPU model (auto) and measured also look at steps of the whole field, of which nothing is
// kept, unless something is asked of the tiles. All of them choose the grid of teams and the depth
// of exchange by the projected time of a step.
#pragma once
#include <span>
#include <vector>

#include "dwell/execution/core/sweep_policy.hpp"

namespace dwell::policies {

/// The best plan for every rung and depth, the one with the least projected time first; never none.
/// Throws input_error for an unknown policy, unsupported_error if no tiling is possible.
std::vector<sweep_choice> sweep_candidates(const sweep_problem_facts& problem,
                                           const sweep_wish& wish,
                                           std::span<const sweep_rung_facts> rungs,
                                           const device_facts& device);

/// The first of them.
inline sweep_choice sweep_keep(const sweep_problem_facts& problem, const sweep_wish& wish,
                               std::span<const sweep_rung_facts> rungs,
                               const device_facts& device) {
  return sweep_candidates(problem, wish, rungs, device).front();
}

}  // namespace dwell::policies
