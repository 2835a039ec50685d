// SPDX-License-Identifier: MIT
// The plans of the policies for stencils, each of which says what may be cached on the chip
// (stencil_table.hpp); the rest streams. On a GPU those that may cache anything also look at steps
// of the whole field, of which nothing is cached, unless something is asked of the tiles. All of
// them choose the grid of teams and the depth of exchange by the projected time of a step.
#pragma once
#include <span>
#include <vector>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell::policies {

/// The best plan for every config and depth, the one with the least projected time first; never
/// none. Throws input_error for an unknown policy, unsupported_error if no tiling is possible.
std::vector<stencil_choice> stencil_candidates(const stencil_problem& problem,
                                               const stencil_plan_request& request,
                                               std::span<const engine_facts> kernels,
                                               const device_facts& device);

}  // namespace dwell::policies
