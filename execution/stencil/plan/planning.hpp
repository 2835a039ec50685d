// SPDX-License-Identifier: MIT
// What plans for stencils are made from, and the check of a plan against the device before anything
// is launched: for stencils what planning.hpp is for Programs.
#pragma once
#include <vector>

#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"

namespace dwell {

/// The kernels of a row of the target's backend as they are on the target or, where it cannot be
/// asked or they are compiled when a run needs them, as they were found on such a device before
/// (kernel_facts.hpp), else as they are written.
std::vector<engine_facts> kernels_of(const stencil_kernel& v, const plan_target& target);

/// What a row needs for a plan with nothing but a config. No row that is compiled ahead.
needed_kernel bare_kernel(const stencil_kernel& v, int config, bool has_source);

/// Throws unsupported_error, with the numbers, if `how` asks for more than the variant's kernel and
/// the device have.
void check_plan(const stencil_kernel& v, const device& where, const stencil_plan& how,
                bool has_source);

}  // namespace dwell
