// SPDX-License-Identifier: MIT
// Tries plans, and keeps the fastest.
#include "dwell/execution/stencil/plan/policies/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace dwell::policies {

stencil_choice stencil_measured(std::span<const stencil_choice> plans,
                                const stencil_plan_trial& try_plan) {
  constexpr std::size_t most = 6;
  const auto tried = plans.first(std::min(most, plans.size()));
  const stencil_choice* best = &tried.front();
  double least = std::numeric_limits<double>::infinity();
  for (const stencil_choice& c : tried) {
    const std::optional<double> seconds = try_plan(c);
    if (!seconds) break;  // the run itself will report it
    if (*seconds < least) best = &c, least = *seconds;
  }
  stencil_choice chosen = *best;
  chosen.reason += fmt::format("; the fastest of {} plans tried", tried.size());
  return chosen;
}

}  // namespace dwell::policies
