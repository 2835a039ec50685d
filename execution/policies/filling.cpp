// SPDX-License-Identifier: MIT
// See filling.hpp.
#include "dwell/execution/policies/filling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace dwell::policies {

int rung_without_slots(std::span<const rung_facts> rungs) {
  for (std::size_t r = 0; r < rungs.size(); ++r)
    if (rungs[r].shape.slots == 0) return static_cast<int>(r);
  return 0;
}

int rung_with_slots(const program_facts& p, std::span<const rung_facts> rungs) {
  int best = -1;
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    const rung& s = rungs[r].shape;
    if (s.slots == 0 || static_cast<std::int64_t>(s.slots) * s.lanes < p.rows_per_team) continue;
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
  if (how.keep.tiles > 0)
    kept.push_back(how.keep.tiles >= p.tiles_per_team
                       ? std::string("the whole matrix")
                       : fmt::format("{} of {} matrix tiles", how.keep.tiles, p.tiles_per_team));
  return fmt::format(
      "{} teams of {} lanes keep {}", how.teams, shape.lanes,
      kept.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(kept, ", ")));
}

}  // namespace dwell::policies
