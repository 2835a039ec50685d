// SPDX-License-Identifier: MIT
// Policy "matrix": scratch for tiles of the matrix; vectors are streamed.
#include "dwell/execution/krylov/plan/policies/filling.hpp"
#include "dwell/execution/krylov/plan/policies/policies.hpp"

namespace dwell::policies {

plan matrix(const program_facts& p, std::span<const config_facts> configs, const device_facts& d) {
  filling fill(p, configs, d, config_of_any_part(configs));
  fill.cache_tiles();
  fill.result().reason = "the matrix first: " + describe(p, fill.result(), configs);
  return fill.result();
}

}  // namespace dwell::policies
