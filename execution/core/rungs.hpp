// SPDX-License-Identifier: MIT
// The rungs of executors that keep nothing: host-loop, graph, persistent. They share them so that,
// given the same plan, they give the same bits.
#pragma once
#include "dwell/execution/core/plan.hpp"

namespace dwell {

/// One block of 1024 lanes per multiprocessor was slower throughout on an H200 (by 10 to 70 %): its
/// lanes all wait together.
inline constexpr rung plain_cuda_rungs[] = {{512, 2, true}, {256, 4, true}};
/// 8 lanes are the elements of one vector register; the second rung runs the text of the GPU on
/// threads, two warps a team, for the tests.
inline constexpr rung plain_cpu_rungs[] = {{8, 1, false}, {64, 1, true}};

}  // namespace dwell
