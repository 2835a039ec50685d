// SPDX-License-Identifier: MIT
// How a run of an iterative method begins and ends; the end as all programs say it in
// scalars::stop.
#pragma once

namespace dwell {

struct run_outcome {
  /// Programs begin with the residual of the start vector, which they copy to what products read.
  static constexpr bool writes_gathered_first = true;
  enum : int { running, converged, iteration_limit, breakdown, not_finite, interrupted };
};

}  // namespace dwell
