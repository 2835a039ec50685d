// SPDX-License-Identifier: MIT
// Policy "vectors": registers and scratch for vectors, the most used first; the matrix is streamed.
#include "dwell/execution/policies/program/filling.hpp"
#include "dwell/execution/policies/program/policies.hpp"

namespace dwell::policies {

plan vectors(const program_facts& p, std::span<const config_facts> configs, const device_facts& d) {
  const int slots = config_with_slots(p, configs);
  filling fill(p, configs, d, slots >= 0 ? slots : config_without_slots(configs));
  for (int f : by_merit(p)) fill.cache_vector(f);
  fill.result().reason = "vectors first: " + describe(p, fill.result(), configs);
  return fill.result();
}

}  // namespace dwell::policies
