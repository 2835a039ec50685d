// SPDX-License-Identifier: MIT
// Policy "greedy": most bytes of traffic saved per byte kept. A byte of the matrix saves one per
// iteration; a vector saves as many as it has loads and stores (r: three loads and a store).
#include "dwell/execution/policies/filling.hpp"
#include "dwell/execution/policies/policies.hpp"

namespace dwell::policies {

plan greedy(const program_facts& p, std::span<const rung_facts> rungs, const device_facts& d) {
  if (std::optional<plan> all = keep_all(p, rungs, d)) {
    all->reason = "all of it fits: " + describe(p, *all, rungs);
    return *all;
  }
  const int slots = rung_with_slots(p, rungs);
  filling fill(p, rungs, d, slots >= 0 ? slots : rung_without_slots(rungs));
  const std::vector<int> order = by_merit(p);
  for (int f : order)
    if (merit(p.vectors[static_cast<std::size_t>(f)]) > 1.0) fill.keep_vector(f);
  fill.keep_tiles();
  for (int f : order)
    if (merit(p.vectors[static_cast<std::size_t>(f)]) <= 1.0) fill.keep_vector(f);
  fill.result().reason = "most bytes saved per byte kept: " + describe(p, fill.result(), rungs);
  return fill.result();
}

}  // namespace dwell::policies
