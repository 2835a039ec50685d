// SPDX-License-Identifier: MIT
// From the end of a solve to the status codes of dwell/dwell.h.
#pragma once
#include "dwell/dwell.h"
#include "dwell/linear/solve.hpp"

namespace dwell::c_api {

/// target_missed: the true residual is above the tolerance although the iteration converged.
inline int status_of(stop_reason stopped, bool target_missed) {
  switch (stopped) {
    case stop_reason::converged:
      return target_missed ? DWELL_NOT_CONVERGED : DWELL_SUCCESS;
    case stop_reason::iteration_limit:
    case stop_reason::accuracy_limit:
      return DWELL_NOT_CONVERGED;
    case stop_reason::breakdown:
    case stop_reason::not_finite:
      return DWELL_BREAKDOWN;
    case stop_reason::interrupted:
      return DWELL_INTERRUPTED;
  }
  return DWELL_INTERNAL_ERROR;
}

}  // namespace dwell::c_api
