// SPDX-License-Identifier: MIT
// One launch for the whole run, with a grid barrier after every step (resident_steps.hpp).
#pragma once
#include "dwell/execution/core/resident_steps.hpp"

namespace dwell {

struct persistent_sweep : resident_steps {
  static constexpr const char* name = "persistent";
  using loop = resident_steps;  ///< what a kernel is compiled of: perks has the same one
};

}  // namespace dwell
