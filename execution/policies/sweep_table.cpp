// SPDX-License-Identifier: MIT
// The names that sweep_keep() knows, "auto" apart: what help texts and `dwell info` show. A test
// runs each.
#include "dwell/execution/core/variants.hpp"

namespace dwell {

std::vector<std::string> built_sweep_policies() {
  return {"none", "shared", "registers", "both", "greedy", "model", "measured"};
}

}  // namespace dwell
