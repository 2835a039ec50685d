// SPDX-License-Identifier: MIT
// Which GPUs have kernels for passes of several steps.
#pragma once

namespace dwell {

/// Of compute capability 8.0 and later, whose copies into scratch go on beside the arithmetic.
inline constexpr int least_passing_capability = 80;

}  // namespace dwell
