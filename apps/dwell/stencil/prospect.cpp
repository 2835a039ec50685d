// SPDX-License-Identifier: MIT
// Finds the model's figures of a plan.
#include "stencil/prospect.hpp"

#include <algorithm>

namespace dwell::app {

stencil_prospect prospect_of(const stencil_explanation& e, const stencil_policy_plan& p) {
  stencil_prospect out;
  if (!p.refusal.empty()) return out;
  out.streamed_bytes = p.streamed_bytes;
  const stencil_seconds& t = p.projected;
  const double longest = std::max({t.arithmetic, t.shared_memory, t.l2, t.device_memory});
  if (!e.projected || !(longest > 0)) return out;
  const auto cells = static_cast<double>(e.changing_cells);
  out.attainable = cells / longest;
  if (!p.roof) out.projected = cells / t.all;
  out.binds = binding_part(t);
  return out;
}

stencil_prospect prospect_of(const stencil_explanation& e, const std::string& executor,
                             const std::string& policy) {
  for (const stencil_policy_plan& p : e.plans)
    if (p.executor == executor && p.policy == policy) return prospect_of(e, p);
  return {};
}

}  // namespace dwell::app
