// SPDX-License-Identifier: MIT
// What the teams of a pass over several fields get: plain data, by value.
#pragma once
#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"

namespace dwell {

template <class S, class T>
struct fields_pass {
  int nx = 0, ny = 0;
  int pitch = 0;                       ///< cells from a row to the next, whole units of copies
  const T* from[array_count<S>] = {};  ///< fields, then coefficients
  T* to[S::fields] = {};
  T outside[array_count<S>][2][2] =
      {};  ///< constants beyond the border: axis y, x; lower, upper side
  T p[S::parameters > 0 ? S::parameters : 1] = {};
  int warps = 0;  ///< warps of the chain that compute: a pass has warps * config.steps steps
  pass_runs runs;
};

}  // namespace dwell
