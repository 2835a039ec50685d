// SPDX-License-Identifier: MIT
// Policy "vectors": the scratch for vectors, the most used first; the matrix is streamed.
#include "dwell/execution/krylov/plan/policies/filling.hpp"
#include "dwell/execution/krylov/plan/policies/policies.hpp"

namespace dwell::policies {

plan vectors(const program_facts& p, std::span<const config_facts> configs, const device_facts& d) {
  filling fill(p, configs, d, config_of_any_part(configs));
  for (int f : by_merit(p)) fill.cache_vector(f);
  fill.result().reason = "vectors first: " + describe(p, fill.result(), configs);
  return fill.result();
}

}  // namespace dwell::policies
