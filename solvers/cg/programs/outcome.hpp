// SPDX-License-Identifier: MIT
// How a run of conjugate gradients ends, as all variants say it in scalars::stop.
#pragma once

namespace dwell {

struct cg_outcome {
  enum : int { running, converged, iteration_limit, breakdown, not_finite, interrupted };
};

}  // namespace dwell
