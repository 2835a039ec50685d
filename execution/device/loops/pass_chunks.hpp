// SPDX-License-Identifier: MIT
// The pieces that passes over vectors are made in (ordered_pass.hpp).
#pragma once
#include "dwell/base/fn.hpp"

namespace dwell {

inline constexpr int pass_lanes = 256;
inline constexpr int pass_chunk = 4 * pass_lanes;  ///< elements; lane l takes l, l + 256, ...

/// Chunks of n elements; where there are none, there is an empty one, so that a pass concludes.
template <class I>
DWELL_HD I pass_chunks(I n) {
  return n > 0 ? (n - 1) / pass_chunk + 1 : 1;
}

}  // namespace dwell
