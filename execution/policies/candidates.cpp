// SPDX-License-Identifier: MIT
// See candidates.hpp.
#include "dwell/execution/policies/candidates.hpp"

#include <algorithm>
#include <utility>

#include "dwell/execution/policies/policies.hpp"

namespace dwell::policies {
namespace {

struct maker {
  const char* name;
  caching_policy choose;
};
constexpr maker makers[] = {{"none", &none},
                            {"vectors", &vectors},
                            {"matrix", &matrix},
                            {"mixed", &mixed},
                            {"greedy", &greedy}};

bool same_layout(const plan& a, const plan& b) {
  return a.rung == b.rung && a.teams == b.teams && a.in_cluster == b.in_cluster &&
         a.keep.tiles == b.keep.tiles && a.keep.carries == b.keep.carries &&

         std::equal(std::begin(a.keep.vector), std::end(a.keep.vector), std::begin(b.keep.vector));
}

}  // namespace

std::vector<candidate> candidates(const program_facts& p, std::span<const rung_facts> rungs,
                                  const device_facts& d) {
  std::vector<candidate> all;
  for (const maker& m : makers) {
    plan how = m.choose(p, rungs, d);
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
