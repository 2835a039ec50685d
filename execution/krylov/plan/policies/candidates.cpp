// SPDX-License-Identifier: MIT
// Asks every policy for a plan, and leaves out equal ones.
#include "dwell/execution/krylov/plan/policies/candidates.hpp"

#include <algorithm>
#include <utility>

namespace dwell::policies {
namespace {

bool same_layout(const plan& a, const plan& b) {
  return a.config == b.config && a.teams == b.teams && a.in_cluster == b.in_cluster &&
         a.cache.tiles == b.cache.tiles && a.cache.carries == b.cache.carries &&

         std::equal(std::begin(a.cache.vector), std::end(a.cache.vector),
                    std::begin(b.cache.vector));
}

}  // namespace

std::vector<candidate> candidates(const program_facts& p, std::span<const config_facts> configs,
                                  const device_facts& d) {
  std::vector<candidate> all;
  for (const named_policy& m : program_policies()) {
    if (m.picks) continue;
    plan how = m.choose(p, configs, d);
    how.chosen = m.name;
    const auto twin = std::find_if(all.begin(), all.end(),
                                   [&](const candidate& c) { return same_layout(c.how, how); });
    if (twin == all.end())
      all.push_back({m.name, std::move(how)});
    else
      twin->names += std::string(", ") + m.name;
  }
  return all;
}

}  // namespace dwell::policies
