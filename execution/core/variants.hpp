// SPDX-License-Identifier: MIT
// What this build contains, for people: every compiled combination of problem, precision, executor
// and backend, and the caching policies.
#pragma once
#include <string>
#include <vector>

#include "dwell/execution/core/device.hpp"

namespace dwell {

struct variant_info {
  std::string problem;
  std::string precision;  ///< "f64", "f32"
  std::string executor;   ///< "host-loop", "graph", "persistent"
  backend on = backend::cpu;
};
std::vector<variant_info> built_variants();

/// Names of the caching policies of this build.
std::vector<std::string> built_policies();

}  // namespace dwell
