// SPDX-License-Identifier: MIT
// What the teams of a pass over several fields get: plain data, by value.
#pragma once
#include "dwell/execution/stencil/partition/strips.hpp"
#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// It is laid out for every stencil alike, so that a host fills it for kernels that are compiled at
/// run time.
template <class T>
struct fields_pass {
  int nx = 0, ny = 0;
  int pitch = 0;  ///< cells from a row to the next, whole units of copies
  const T* from[field_limits::arrays] = {};  ///< fields, then coefficients
  T* to[field_limits::fields] = {};
  T outside[field_limits::arrays][2][2] =
      {};  ///< constants beyond the border: axis y, x; lower, upper side
  T p[field_limits::parameters] = {};
  int warps = 0;  ///< warps of the chain that compute: a pass has warps * config.steps steps
  pass_runs runs;
};

}  // namespace dwell
