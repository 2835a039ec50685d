// SPDX-License-Identifier: MIT
// Which GPUs have kernels for passes of several steps.
#pragma once

namespace dwell {

/// Compute capability 8.0: from here on copies into scratch go on beside the arithmetic.
inline constexpr int least_passing_capability = 80;

}  // namespace dwell
