// SPDX-License-Identifier: MIT
// How a run of an iterative method ends, as all programs say it in scalars::stop.
#pragma once

namespace dwell {

struct run_outcome {
  enum : int { running, converged, iteration_limit, breakdown, not_finite, interrupted };
};

}  // namespace dwell
