// SPDX-License-Identifier: MIT
// Policy "model": the least projected time among the other policies' plans, by the measured limits
// of the device (execution/model).
#include <fmt/format.h>
#include "dwell/execution/policies/filling.hpp"
#include "dwell/execution/policies/policies.hpp"

#include "dwell/execution/model/projection.hpp"

namespace dwell::policies {

plan model(const program_facts& p, std::span<const rung_facts> rungs, const device_facts& d) {
  plan best;
  double least = 0.0;
  for (const caching_policy choose : {&none, &vectors, &matrix, &mixed, &greedy}) {
    plan how = choose(p, rungs, d);
    const double seconds = project(p, how, rungs, limits_of(d)).seconds;
    if (best.reason.empty() || seconds < least) best = std::move(how), least = seconds;
  }
  best.reason = fmt::format("least projected time, {:.1f} us; ", least * 1e6) + best.reason;
  return best;
}

}  // namespace dwell::policies
