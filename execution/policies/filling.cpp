// SPDX-License-Identifier: MIT
// See filling.hpp.
#include "dwell/execution/policies/filling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace dwell::policies {

std::optional<plan> keep_all(const program_facts& p, std::span<const rung_facts> rungs,
                             const device_facts& d) {
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    filling fill(p, rungs, d, static_cast<int>(r));
    if (fill.keep_all()) return fill.result();
  }
  return std::nullopt;
}

int rung_without_slots(std::span<const rung_facts> rungs) {
  for (std::size_t r = 0; r < rungs.size(); ++r)
    if (rungs[r].shape.covers == keeping::part && rungs[r].shape.slots == 0)
      return static_cast<int>(r);
  return 0;
}

int rung_with_slots(const program_facts& p, std::span<const rung_facts> rungs) {
  int best = -1;
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    const rung& s = rungs[r].shape;
    if (s.covers != keeping::part || s.slots == 0 ||
        static_cast<std::int64_t>(s.slots) * s.lanes < p.rows_per_team)
      continue;
    if (best < 0 || s.slots < rungs[static_cast<std::size_t>(best)].shape.slots)
      best = static_cast<int>(r);
  }
  return best;
}

double merit(const vector_facts& v) {
  return v.keepable ? v.loads + (v.gathered ? 0 : v.stores) : 0;
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

std::string describe(const program_facts& p, const plan& how, std::span<const rung_facts> rungs) {
  const rung& shape = rungs[static_cast<std::size_t>(how.rung)].shape;
  int registers = 0, whole = 0, part = 0;
  for (int f = 0; f < static_cast<int>(p.vectors.size()); ++f) {
    const int kept = how.keep.vector[f];
    if (p.vectors[static_cast<std::size_t>(f)].in_registers && shape.slots > 0)
      ++registers;
    else if (kept > 0)
      ++(kept >= p.rows_per_team ? whole : part);
  }
  std::vector<std::string> kept;
  const auto add = [&](int n, const char* what) {
    if (n > 0) kept.push_back(fmt::format("{} vector{} {}", n, n == 1 ? "" : "s", what));
  };
  add(registers, "in registers");
  add(whole, "whole");
  add(part, "in part");
  if (how.keep.held + how.keep.tiles > 0)
    kept.push_back(how.keep.held + how.keep.tiles >= p.tiles_per_team
                       ? std::string("the whole matrix")
                       : fmt::format("{} of {} matrix tiles", how.keep.tiles, p.tiles_per_team));
  if (how.keep.halo > 0)
    kept.push_back(fmt::format("{} elements of others' that it multiplies", how.keep.halo));
  return fmt::format(
      "{} team{} of {} lane{} keep{} {}", how.teams, how.teams == 1 ? "" : "s", shape.lanes,
      shape.lanes == 1 ? "" : "s", how.teams == 1 ? "s" : "",
      kept.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(kept, ", ")));
}

}  // namespace dwell::policies
