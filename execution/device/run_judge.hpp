// SPDX-License-Identifier: MIT
// A judge of runs: says after every step whether a run is worth going on with. On a CPU the run
// itself asks, so that it ends at the same step whenever it is repeated; a run on a GPU asks
// nobody, it has a limit of steps.
#pragma once
#include "dwell/execution/device/monitor.hpp"

namespace dwell {

class run_judge {
 public:
  run_judge() = default;
  run_judge(const run_judge&) = delete;
  run_judge& operator=(const run_judge&) = delete;
  virtual ~run_judge() = default;
  /// Called by one team, which others wait for, with the square of the residual's norm after `step`
  /// steps, each step once and in order. True ends the run one or two steps later, as an interrupt
  /// does; it may be asked again until then.
  virtual bool ends(int step, double squared, const step_coefficients& by) = 0;
};

}  // namespace dwell
