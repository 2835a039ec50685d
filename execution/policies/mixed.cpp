// SPDX-License-Identifier: MIT
// Policy "mixed", the dissertation's MIX: the residual whole, what is left of the scratch for tiles
// of the matrix. The residual is the vector that an iteration touches most (of the pipelined form
// the preconditioned one). Where a rung has registers for it, they hold it, and the vectors that
// share them with it; where all of a system fits, all is kept.
#include "dwell/execution/policies/filling.hpp"
#include "dwell/execution/policies/policies.hpp"

namespace dwell::policies {

plan mixed(const program_facts& p, std::span<const rung_facts> rungs, const device_facts& d) {
  if (std::optional<plan> all = keep_all(p, rungs, d)) {
    all->reason = "all of it fits: " + describe(p, *all, rungs);
    return *all;
  }
  const int slots = rung_with_slots(p, rungs);
  filling fill(p, rungs, d, slots >= 0 ? slots : rung_without_slots(rungs));
  if (const std::vector<int> order = by_merit(p); !order.empty()) fill.keep_vector(order.front());
  fill.keep_tiles();
  fill.result().reason = "the residual, then the matrix: " + describe(p, fill.result(), rungs);
  return fill.result();
}

}  // namespace dwell::policies
