// SPDX-License-Identifier: MIT
// Policy "vectors": registers and scratch for vectors, the most used first; the matrix is streamed.
#include "dwell/execution/policies/filling.hpp"
#include "dwell/execution/policies/policies.hpp"

namespace dwell::policies {

plan vectors(const program_facts& p, std::span<const rung_facts> rungs, const device_facts& d) {
  const int slots = rung_with_slots(p, rungs);
  filling fill(p, rungs, d, slots >= 0 ? slots : rung_without_slots(rungs));
  for (int f : by_merit(p)) fill.keep_vector(f);
  fill.result().reason = "vectors first: " + describe(p, fill.result(), rungs);
  return fill.result();
}

}  // namespace dwell::policies
