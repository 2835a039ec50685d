// SPDX-License-Identifier: MIT
// Policy "none" for stencils: nothing is cached on the chip but what the caches cache. It only
// chooses tiles and how many teams run.
#pragma once
#include <optional>
#include <span>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell::policies {

/// What no run on a GPU passes, and those of wide stencils come nowhere near. `cooperative`: all
/// teams meet while they run, so no more than fit together.
stencil_projection stencil_roof(const stencil_problem& problem, bool cooperative,
                                const device_facts& device);

/// The plan, and that roof. `teams`: as many are wanted; 0: as planned. `cells`: in which order a
/// step is to take them; none: as planned.
stencil_choice plan_uncached(const stencil_problem& problem, bool cooperative,
                             std::span<const engine_facts> kernels, const device_facts& device,
                             int teams = 0, const std::optional<cell_order>& cells = {});

/// How long a step of such a plan should take that is a launch of its own, from a graph.
stencil_projection time_of_launches(const stencil_problem& problem, const stencil_choice& plan,
                                    const stencil_engine& engine, const device_facts& device);

}  // namespace dwell::policies
