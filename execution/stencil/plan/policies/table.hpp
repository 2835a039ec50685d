// SPDX-License-Identifier: MIT
// The policies for stencils by name: where each lets a plan cache rows.
#pragma once
#include <span>
#include <string_view>

#include "dwell/execution/stencil/engine.hpp"

namespace dwell::policies {

struct named_stencil_policy {
  const char* name;
  const char* what;                       ///< one line of help
  std::span<const cache_permission> may;  ///< several: the best of all plans is wanted
  bool tries = false;                     ///< the caller tries its plans on the device
  /// The policy that is the same, of a name that the next minor version removes; else null.
  const char* replacement = nullptr;
};

/// All policies of this build. find_stencil_policy takes a name or "auto", and throws input_error
/// with the list.
std::span<const named_stencil_policy> stencil_policies();
const named_stencil_policy& find_stencil_policy(std::string_view name);

}  // namespace dwell::policies
