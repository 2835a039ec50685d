// SPDX-License-Identifier: MIT
// The policies for Sweeps by name: where each lets a plan keep rows.
#pragma once
#include <span>
#include <string_view>

#include "dwell/execution/policies/sweep_layout.hpp"

namespace dwell::policies {

/// What plans of a policy may keep; several permissions: the best of all plans is wanted. Throws
/// input_error with the list if there is no such policy.
std::span<const sweep_permission> permissions_of(std::string_view policy);

}  // namespace dwell::policies
