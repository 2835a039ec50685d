// SPDX-License-Identifier: MIT
// A plan says how a problem is laid out on a device: the config (compile time, one kernel each) and
// the run-time extents. Plans are made by a policy and checked against the device before a launch.
#pragma once
#include <string>

#include "dwell/execution/krylov/plan/residency.hpp"

namespace dwell {

struct plan {
  int config = 0;
  int teams = 1;
  residency cache;
  bool in_cluster = false;    ///< all teams form one thread block cluster
  bool fully_cached = false;  ///< what configs that assume all, or ghosts, require
  std::string policy;         ///< who made it
  std::string chosen;         ///< whose plan it is, where `policy` picked among those of others
  std::string reason;         ///< why, one line
};

}  // namespace dwell
