// SPDX-License-Identifier: MIT
// Finds the model's figures of a plan.
#include "linear/prospect.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dwell/device/limits.hpp"

namespace dwell::app {

solve_prospect prospect_of(const solve_explanation& e, const policy_plan& p) {
  if (!e.projected || !p.refusal.empty() || !(p.seconds > 0)) return {};
  const device_limits whole = limits_of(e.device);
  const device_limits l = e.in_cluster ? of_cluster(whole, p.teams) : whole;
  const double shared = p.cached_bytes_moved / l.shared, l2 = p.l2_bytes / l.l2,
               memory = p.memory_bytes / l.memory;
  // The model adds them up.
  const std::pair<double, const char*> parts[] = {{shared, "shared memory"},
                                                  {l2, "L2"},
                                                  {memory, "device memory"},
                                                  {p.seconds - shared - l2 - memory, "barriers"}};
  const auto largest =
      std::max_element(std::begin(parts), std::end(parts),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
  return {std::max({shared, l2, memory}), p.seconds, largest->second};
}

}  // namespace dwell::app
