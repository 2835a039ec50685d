// SPDX-License-Identifier: MIT
// Policy "mixed", the dissertation's MIX: the residual whole, what is left of the scratch for tiles
// of the matrix. The residual is the vector that an iteration touches most (of the pipelined form
// the preconditioned one). Where all of a system fits, all is cached.
#include "dwell/execution/krylov/plan/policies/filling.hpp"
#include "dwell/execution/krylov/plan/policies/policies.hpp"

namespace dwell::policies {

plan mixed(const program_facts& p, std::span<const config_facts> configs, const device_facts& d) {
  if (std::optional<plan> all = cache_all(p, configs, d)) {
    all->reason = "all of it fits: " + describe(p, *all, configs);
    return *all;
  }
  filling fill(p, configs, d, config_of_any_part(configs));
  if (const std::vector<int> order = by_merit(p); !order.empty()) fill.cache_vector(order.front());
  fill.cache_tiles();
  fill.result().reason = "the residual, then the matrix: " + describe(p, fill.result(), configs);
  return fill.result();
}

}  // namespace dwell::policies
