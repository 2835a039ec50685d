// SPDX-License-Identifier: MIT
// Policy "matrix": scratch for tiles of the matrix; vectors are streamed.
#include "dwell/execution/policies/filling.hpp"
#include "dwell/execution/policies/policies.hpp"

namespace dwell::policies {

plan matrix(const program_facts& p, std::span<const rung_facts> rungs, const device_facts& d) {
  filling fill(p, rungs, d, rung_without_slots(rungs));
  fill.keep_tiles();
  fill.result().reason = "the matrix first: " + describe(p, fill.result(), rungs);
  return fill.result();
}

}  // namespace dwell::policies
