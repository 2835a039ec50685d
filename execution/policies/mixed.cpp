// SPDX-License-Identifier: MIT
// Policy "mixed": registers for vectors, and scratch half for vectors and half for the matrix.
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
  const std::size_t half = fill.left() / 2;
  for (int f : by_merit(p)) fill.keep_vector(f, fill.left() > half ? fill.left() - half : 0);
  fill.keep_tiles();
  fill.result().reason =
      "half for vectors, half for the matrix: " + describe(p, fill.result(), rungs);
  return fill.result();
}

}  // namespace dwell::policies
