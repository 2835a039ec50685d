// SPDX-License-Identifier: MIT
// Why there is no plan for a Stencil on tiles that stay on the chip: what is asked for but is not
// there, and what was in the way of every tiling. Each is one line for the user.
#pragma once
#include <algorithm>
#include <span>
#include <string>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell::policies {

/// Throws unsupported_error if a request is one that no plan for this problem can meet.
void refuse_impossible(const stencil_problem& problem, const stencil_plan_request& request,
                       std::span<const engine_facts> kernels);

/// Throws unsupported_error if an order is asked for of what streams, and nothing does. scratch:
/// what it is called on the device.
void refuse_idle_order(const stencil_problem& problem, const stencil_plan_request& request,
                       const stencil_plan& p, const stencil_engine& engine,
                       const std::string& scratch);

/// What tilings of a problem have met: what was asked last is the reason if none is possible.
class layout_obstacles {
 public:
  void meet(const layout_result& one) {
    if (!one.candidate) last_ = std::max(last_, one.obstacle);
  }
  void subdomain(const extents& most, bool streams) {
    served_ = true;
    if (most.x > 0 && (most_.x <= 0 || most.cells() > most_.cells())) most_ = most;
    spatial_ = spatial_ || !streams;
  }
  /// One line.
  std::string text(const stencil_problem& problem, const stencil_plan_request& request, int teams,
                   const std::string& scratch) const;

 private:
  layout_obstacle last_ = layout_obstacle::subdomains;
  extents most_{1, 0};    ///< most cells of a layer, per team
  bool served_ = false;   ///< there was a kernel for it
  bool spatial_ = false;  ///< passes of one step were among them
};

}  // namespace dwell::policies
