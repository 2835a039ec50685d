// SPDX-License-Identifier: MIT
// Policy "greedy": most bytes of traffic saved per byte cached. A byte of the matrix saves one per
// iteration; a vector saves as many as it has loads and stores (r: three loads and a store).
#include "dwell/execution/krylov/plan/policies/filling.hpp"
#include "dwell/execution/krylov/plan/policies/policies.hpp"

namespace dwell::policies {

plan greedy(const program_facts& p, std::span<const config_facts> configs, const device_facts& d) {
  if (std::optional<plan> all = cache_all(p, configs, d)) {
    all->reason = "all of it fits: " + describe(p, *all, configs);
    return *all;
  }
  filling fill(p, configs, d, config_of_any_part(configs));
  const std::vector<int> order = by_merit(p);
  for (int f : order)
    if (merit(p.vectors[static_cast<std::size_t>(f)]) > 1.0) fill.cache_vector(f);
  fill.cache_tiles();
  for (int f : order)
    if (merit(p.vectors[static_cast<std::size_t>(f)]) <= 1.0) fill.cache_vector(f);
  fill.result().reason = "most bytes saved per byte cached: " + describe(p, fill.result(), configs);
  return fill.result();
}

}  // namespace dwell::policies
