// SPDX-License-Identifier: MIT
// Why there is no plan for a Sweep on tiles that stay on the chip: what is asked for but is not
// there, and what was in the way of every tiling. Each is one line for the user.
#pragma once
#include <algorithm>
#include <span>
#include <string>

#include "dwell/execution/core/sweep_policy.hpp"
#include "dwell/execution/policies/sweep_layout.hpp"

namespace dwell::policies {

/// "1 step", "3 steps".
std::string steps_text(int n);

/// Steps that a plan of this rung may take between two exchanges.
int most_depth(const sweep_rung& r, const sweep_problem_facts& problem);

/// Throws unsupported_error if a wish is one that no plan for this problem can meet.
void refuse_impossible(const sweep_problem_facts& problem, const sweep_wish& wish,
                       std::span<const sweep_rung_facts> rungs);

/// Throws unsupported_error if an order is asked for of what streams, and nothing does. scratch:
/// what it is called on the device.
void refuse_idle_order(const sweep_problem_facts& problem, const sweep_wish& wish,
                       const sweep_plan& p, const sweep_rung& r, const std::string& scratch);

/// What tilings of a problem have met: what was asked last is the reason if none is possible.
class sweep_obstacles {
 public:
  void meet(const sweep_laid& one) {
    if (!one.candidate) last_ = std::max(last_, one.obstacle);
  }
  void share(const extents& most, bool waves) {
    served_ = true;
    if (most.x > 0 && (most_.x <= 0 || most.cells() > most_.cells())) most_ = most;
    spatial_ = spatial_ || !waves;
  }
  /// One line.
  std::string text(const sweep_problem_facts& problem, const sweep_wish& wish, int teams,
                   const std::string& scratch) const;

 private:
  sweep_obstacle last_ = sweep_obstacle::shares;
  extents most_{1, 0};    ///< of a layer, per team
  bool served_ = false;   ///< there was a kernel for it
  bool spatial_ = false;  ///< passes of one step were among them
};

}  // namespace dwell::policies
