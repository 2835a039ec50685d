// SPDX-License-Identifier: MIT
// Why a run of a stencil ended.
#pragma once
#include <string>

#include "dwell/base/api.hpp"

namespace dwell {

/// Why a run ended.
enum class stencil_stop {
  steps_done,   ///< the number of steps asked for
  converged,    ///< the largest change, or a reduction of a field, came under its tolerance
  step_limit,   ///< it did not within the steps allowed
  not_finite,   ///< a NaN or an infinity appeared
  interrupted,  ///< the caller asked to stop
};
/// In words, as reports have it.
DWELL_API std::string to_string(stencil_stop r);

}  // namespace dwell
