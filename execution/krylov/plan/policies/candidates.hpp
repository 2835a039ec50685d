// SPDX-License-Identifier: MIT
// The plans among which a policy may choose that makes none of its own: one of each policy that
// does, equal plans once. Private to policies.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "dwell/execution/krylov/plan/policy.hpp"

namespace dwell::policies {

struct candidate {
  std::string names;  ///< names of all policies that made it, "mixed, greedy"
  plan how;           ///< its `chosen` is the first of them
};

/// Never empty; in the order of the table, the first of which caches nothing.
std::vector<candidate> candidates(const program_facts&, std::span<const config_facts>,
                                  const device_facts&);

}  // namespace dwell::policies
