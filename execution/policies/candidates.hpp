// SPDX-License-Identifier: MIT
// The plans among which a policy may choose that makes none of its own: one of each policy that
// does, equal plans once. Private to policies.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "dwell/execution/core/policy.hpp"

namespace dwell::policies {

struct candidate {
  std::string names;  ///< of all policies that made it, "mixed, greedy"
  plan how;           ///< its `chosen` is the first of them
};

/// Never empty; "none" is the first.
std::vector<candidate> candidates(const program_facts&, std::span<const rung_facts>,
                                  const device_facts&);

}  // namespace dwell::policies
