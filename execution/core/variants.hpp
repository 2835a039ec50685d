// SPDX-License-Identifier: MIT
// What this build contains, for people: every compiled combination of problem (for stencils: and
// shape), precision, executor and backend, and the caching policies.
#pragma once
#include <string>
#include <vector>

#include "dwell/execution/core/device.hpp"

namespace dwell {

struct variant_info {
  std::string problem;    ///< "cg", ..., or "stencil"
  std::string precision;  ///< "f64", "f32"
  std::string executor;   ///< "host-loop", "graph", "persistent", "perks"
  backend on = backend::cpu;
  std::string shape = {};  ///< of a stencil: "2d5pt", ...; else empty
};
std::vector<variant_info> built_variants();

/// Names of the caching policies of this build: for vector solvers (and those of them that plan
/// without trying anything), and for stencils.
std::vector<std::string> built_policies();
std::vector<std::string> planning_policies();
std::vector<std::string> built_sweep_policies();

}  // namespace dwell
