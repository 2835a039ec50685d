// SPDX-License-Identifier: MIT
// Sums that teams add up together: what total() of a program returns.
#pragma once

namespace dwell {

/// N sums that travel together.
template <int N>
struct sums {
  double v[N];  ///< in their order
};

}  // namespace dwell
