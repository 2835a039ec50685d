// SPDX-License-Identifier: MIT
// Policy "none" for Sweeps: nothing is kept on the chip but what the caches keep. It only chooses
// tiles and how many teams run.
#pragma once
#include <span>

#include "dwell/execution/core/sweep_policy.hpp"

namespace dwell::policies {

/// What no run on a GPU passes, and those of wide stencils come nowhere near. `resident`: all teams
/// meet while they run, so no more than fit together.
sweep_projection sweep_roof(const sweep_problem_facts& problem, bool resident,
                            const device_facts& device);

/// The plan, and that roof. `teams`: as many are wanted; 0: as planned.
sweep_choice sweep_none(const sweep_problem_facts& problem, bool resident,
                        std::span<const sweep_rung_facts> rungs, const device_facts& device,
                        int teams = 0);

/// How long a step of such a plan should take that is a launch of its own, from a graph.
sweep_projection time_of_launches(const sweep_problem_facts& problem, const sweep_choice& plan,
                                  const sweep_rung& r, const device_facts& device);

}  // namespace dwell::policies
