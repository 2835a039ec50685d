// SPDX-License-Identifier: MIT
// Policy "measured": the least time among the other policies' plans, tried on the device itself.
// What was seen stands in the reason. Two runs may choose differently where plans are about equal.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "dwell/execution/krylov/plan/policies/candidates.hpp"
#include "dwell/execution/krylov/plan/policies/policies.hpp"

namespace dwell::policies {

plan measured(const program_facts& p, std::span<const config_facts> configs, const device_facts& d,
              const plan_trial& try_plan) {
  auto all = candidates(p, configs, d);
  const candidate* best = &all.front();
  double least = std::numeric_limits<double>::infinity();
  std::string seen;
  for (const candidate& c : all) {
    const std::optional<double> seconds = try_plan(c.how);
    if (!seconds) {
      plan how = best->how;
      how.reason = "interrupted while measuring; " + how.reason;
      return how;
    }
    seen += fmt::format("{}{} {}", seen.empty() ? "" : "; ", c.names,
                        std::isfinite(*seconds) ? fmt::format("{:.2f}", *seconds * 1e6)
                                                : std::string("does not fit"));
    if (*seconds < least) best = &c, least = *seconds;
  }
  plan how = best->how;
  how.reason = fmt::format("least measured time of ({} us); {}", seen, how.reason);
  return how;
}

}  // namespace dwell::policies
