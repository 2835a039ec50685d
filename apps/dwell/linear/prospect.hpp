// SPDX-License-Identifier: MIT
// What the planner's model says of a plan for a system beside its measured time, in the terms of
// Zhang 2023, section 5.6, as times of an iteration: of P, of PP, and what binds.
#pragma once
#include <string>

#include "dwell/linear/explain.hpp"

namespace dwell::app {

/// In seconds per iteration; 0 and empty where there is no model of the device.
struct solve_prospect {
  /// P: as if the memory that takes longest were all that takes time.
  double attainable = 0;
  /// PP: projected, with all memories, barriers and waits.
  double projected = 0;
  /// Which part is largest: "shared memory", "L2", "device memory", or "barriers", with the waits
  /// of phases.
  std::string binds;
};

solve_prospect prospect_of(const solve_explanation& e, const policy_plan& p);

}  // namespace dwell::app
