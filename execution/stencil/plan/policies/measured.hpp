// SPDX-License-Identifier: MIT
// Policy "measured" for stencils: the least time among the most promising plans, tried on the
// device itself. Two runs may choose differently where plans are about equal.
#pragma once
#include <span>

#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell::policies {

/// plans: in the order in which they promise speed, at least one. Once a trial says nothing, the
/// best so far; without any, the first.
stencil_choice stencil_measured(std::span<const stencil_choice> plans,
                                const stencil_plan_trial& try_plan);

}  // namespace dwell::policies
