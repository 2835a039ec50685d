// SPDX-License-Identifier: MIT
// The layout of teams that are alone, each with a system of its own: the smallest config that holds
// the largest system whole, so that a multiprocessor works on as many as its scratch allows; else
// what fits, by the rule of policy "greedy".
#include <algorithm>
#include <cstddef>
#include <utility>

#include "dwell/base/policy_words.hpp"
#include "dwell/execution/krylov/plan/policies/filling.hpp"
#include "dwell/execution/krylov/plan/policies/policies.hpp"

namespace dwell {
namespace {

/// The scratch of one of the teams that a multiprocessor is to hold together.
device_facts shared_by(const program_config& shape, device_facts d) {
  constexpr std::size_t reserved = 1024;  // bytes of each block, for the driver
  if (d.shared_per_unit > 0) {
    const std::size_t each = d.shared_per_unit / static_cast<std::size_t>(shape.teams_per_unit);
    d.shared_per_team = std::min(d.shared_per_team, each - std::min(each, reserved));
  }
  return d;
}

}  // namespace

plan apart_layout(const program_facts& p, std::span<const config_facts> configs, int asked,
                  const device_facts& d) {
  using policies::filling;
  const auto named = [&](plan how, const char* policy) {
    how.policy = how.chosen = policy;
    how.reason = "one team for each system: " + policies::describe(p, how, configs);
    return how;
  };
  const auto of_config = [&](int r, const device_facts& room) {
    filling fill(p, configs, room, r);
    fill.cache_all();
    return fill.result();
  };
  const auto shape_of = [&](int r) -> const program_config& {
    return configs[static_cast<std::size_t>(r)].shape;
  };
  const int count = static_cast<int>(configs.size());
  if (asked >= 0 && shape_of(asked).assumes != caching::part)
    return named(of_config(asked, d), "greedy");
  if (asked < 0 && shape_of(0).caches)
    for (int r = 0; r < count; ++r)
      if (shape_of(r).assumes != caching::part)
        if (plan how = of_config(r, shared_by(shape_of(r), d)); how.fully_cached)
          return named(std::move(how), "greedy");
  int config = std::max(asked, 0);  // the first one of a CPU caches nothing
  if (asked < 0)
    while (config + 1 < count && shape_of(config).assumes != caching::part) ++config;
  if (!shape_of(config).caches) {
    plan how;
    how.config = config;
    how.teams = p.teams;
    return named(std::move(how), nothing_cached);
  }
  plan how = policies::greedy(p, configs.subspan(static_cast<std::size_t>(config), 1), d);
  how.config = config;
  return named(std::move(how), "greedy");
}

}  // namespace dwell
