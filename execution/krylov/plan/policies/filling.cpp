// SPDX-License-Identifier: MIT
// Orders vectors by merit, fills scratch, and says in words what it did.
#include "dwell/execution/krylov/plan/policies/filling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

namespace dwell::policies {

std::optional<plan> cache_all(const program_facts& p, std::span<const config_facts> configs,
                              const device_facts& d) {
  for (std::size_t r = 0; r < configs.size(); ++r) {
    filling fill(p, configs, d, static_cast<int>(r));
    if (fill.cache_all()) return fill.result();
  }
  return std::nullopt;
}

int config_of_any_part(std::span<const config_facts> configs) {
  for (std::size_t r = 0; r < configs.size(); ++r)
    if (configs[r].shape.assumes == caching::part) return static_cast<int>(r);
  return 0;
}

double merit(const vector_facts& v) {
  return v.cacheable ? v.loads + (v.gathered ? 0 : v.stores) : 0;
}

std::vector<int> by_merit(const program_facts& p) {
  std::vector<int> order;
  for (int f = 0; f < static_cast<int>(p.vectors.size()); ++f)
    if (merit(p.vectors[static_cast<std::size_t>(f)]) > 0) order.push_back(f);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return merit(p.vectors[static_cast<std::size_t>(a)]) >
           merit(p.vectors[static_cast<std::size_t>(b)]);
  });
  return order;
}

std::string describe(const program_facts& p, const plan& how,
                     std::span<const config_facts> configs) {
  const program_config& shape = configs[static_cast<std::size_t>(how.config)].shape;
  int registers = 0, whole = 0, part = 0;
  for (int f = 0; f < static_cast<int>(p.vectors.size()); ++f) {
    const int cached = how.cache.vector[f];
    if (p.vectors[static_cast<std::size_t>(f)].in_registers && shape.slots > 0)
      ++registers;
    else if (cached > 0)
      ++(cached >= p.rows_per_team ? whole : part);
  }
  std::vector<std::string> cached;
  const auto add = [&](int n, const char* what) {
    if (n > 0) cached.push_back(fmt::format("{} vector{} {}", n, n == 1 ? "" : "s", what));
  };
  add(registers, "in registers");
  add(whole, "whole");
  add(part, "in part");
  if (how.cache.tiles_in_registers + how.cache.tiles > 0)
    cached.push_back(how.cache.tiles_in_registers + how.cache.tiles >= p.tiles_per_team
                         ? std::string("the whole matrix")
                         : fmt::format("{} of {} matrix tiles", how.cache.tiles, p.tiles_per_team));
  if (how.cache.halo > 0)
    cached.push_back(fmt::format("{} elements of others' that it multiplies", how.cache.halo));
  return fmt::format(
      "{} team{} of {} lane{} cache{} {}", how.teams, how.teams == 1 ? "" : "s", shape.lanes,
      shape.lanes == 1 ? "" : "s", how.teams == 1 ? "s" : "",
      cached.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(cached, ", ")));
}

}  // namespace dwell::policies
