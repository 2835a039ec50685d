// SPDX-License-Identifier: MIT
// The table of plans of `dwell explain stencil`, described once for text and JSON
// (report/columns.hpp), and words for parts of a plan.
#pragma once
#include <string>
#include <vector>

#include "report/columns.hpp"

#include "dwell/stencil/explain.hpp"

namespace dwell::app {

/// A plan, and what it is a plan for.
struct plan_row {
  const stencil_explanation* of;
  const stencil_policy_plan* plan;
  bool chosen;
};

std::vector<plan_row> plans_of(const stencil_explanation& e);

/// What a plan without tiles does not have is null; a refused plan has nothing but its refusal.
columns<plan_row> plan_columns(const stencil_explanation& e);

bool on_gpu(const stencil_explanation& e);
bool caches_tiles(const stencil_policy_plan& p);
/// What scratch is on this device.
const char* scratch_name(const stencil_explanation& e);
/// "9 x 14", "2 x 3 x 22".
std::string by(const extents& n);

}  // namespace dwell::app
