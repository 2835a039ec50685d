// SPDX-License-Identifier: MIT
// Policy "model": the least projected time among the other policies' plans, by the measured limits
// of the device (projection.hpp).
#include <fmt/format.h>

#include <string>
#include <utility>

#include "dwell/execution/krylov/plan/policies/candidates.hpp"
#include "dwell/execution/krylov/plan/policies/policies.hpp"
#include "dwell/execution/krylov/plan/projection.hpp"

namespace dwell::policies {

plan model(const program_facts& p, std::span<const config_facts> configs, const device_facts& d) {
  plan best;
  double least = 0.0;
  for (candidate& c : candidates(p, configs, d)) {
    const double seconds = project(p, c.how, configs, limits_of(d)).seconds;
    if (best.reason.empty() || seconds < least) best = std::move(c.how), least = seconds;
  }
  // There is no model of CPUs: the rates are a GPU's, and so is the time.
  best.reason =
      (d.on == backend::cpu ? "best by the rates of a GPU; "
                            : fmt::format("least projected time, {:.1f} us; ", least * 1e6)) +
      best.reason;
  return best;
}

}  // namespace dwell::policies
