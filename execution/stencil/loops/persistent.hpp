// SPDX-License-Identifier: MIT
// One launch for the whole run, with a grid barrier after every step (barrier_steps.hpp).
#pragma once
#include "dwell/execution/stencil/loops/barrier_steps.hpp"

namespace dwell {

struct persistent_stencil : barrier_steps {
  static constexpr const char* name = "persistent";
  using loop = barrier_steps;  ///< what a kernel is compiled of: perks has the same one
};

}  // namespace dwell
