// SPDX-License-Identifier: MIT
// The plans of executor temporal: passes of several steps over a field that stays in memory.
#pragma once
#include <span>
#include <vector>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell::policies {

/// One for every kernel that serves the problem, the one with the least projected time first; never
/// none. Of the request teams and depth count, steps of a pass. Throws unsupported_error if no
/// kernel does.
std::vector<stencil_choice> plan_passes(const stencil_problem& problem,
                                        const stencil_plan_request& request,
                                        std::span<const engine_facts> kernels,
                                        const device_facts& device);

}  // namespace dwell::policies
