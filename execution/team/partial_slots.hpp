// SPDX-License-Identifier: MIT
// How many values of its own a team may publish to the others at a time.
#pragma once

namespace dwell {

/// Values of this kind: the partial sums of a Program and four of the workspace's own.
inline constexpr int partial_slots = 14;

}  // namespace dwell
