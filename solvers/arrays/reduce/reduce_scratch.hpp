// SPDX-License-Identifier: MIT
// How a reduction on a GPU is laid out, and its scratch.
#pragma once
#include <cstdint>

#include "dwell/execution/device/loops/pass_chunks.hpp"

namespace dwell::cuda {

/// What a reduction needs in the device's memory besides its arrays. Counters are zero before and
/// after.
struct reduce_scratch {
  double* partial = nullptr;   ///< totals of chunks
  double* lanes = nullptr;     ///< totals of lanes, of groups of blocks: 256
  unsigned* counts = nullptr;  ///< reduce_counts
};
inline constexpr int reduce_counts = 16;

inline constexpr int reduce_warps = pass_lanes / 32;  ///< warps of a block
inline constexpr int reduce_groups = 8;               ///< groups of blocks, where there are several
inline constexpr int reduce_group_lanes = pass_lanes / reduce_groups;
static_assert(reduce_group_lanes == 32 && reduce_groups + 1 <= reduce_counts);
/// Up to so many chunks a block has one for each warp, and is alone.
inline constexpr std::int64_t reduce_alone = reduce_warps;
/// Up to so many there is one group: a thread of the last block has at most 8 totals to put
/// together.
inline constexpr std::int64_t reduce_one_group = 8 * pass_lanes;

}  // namespace dwell::cuda
