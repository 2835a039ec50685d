// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dwell/execution/core/sweep_policy.hpp"
#include "dwell/execution/core/sweep_variant.hpp"
#include "dwell/solvers/stencil/stencil.hpp"

namespace dwell {

/// The row of the table to run, and plans for it in the order in which they promise speed.
struct decision {
  const sweep_variant* variant;
  std::vector<sweep_choice> plans;
  std::string why;
};

/// Executor "auto" is perks where it gains, else graph, or persistent on a CPU. Throws
/// unsupported_error if nothing in the table can do what is asked.
decision decide(std::span<const sweep_variant> table, const stencil_options& o, precision type,
                const device& where, const device_facts& facts, const sweep_problem_facts& problem);

}  // namespace dwell
