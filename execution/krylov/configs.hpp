// SPDX-License-Identifier: MIT
// The configs of executors that cache nothing: host-loop, graph, persistent. They share them so
// that, given the same plan, they give the same bits.
#pragma once
#include "dwell/execution/krylov/plan/residency.hpp"

namespace dwell {

/// One block of 1024 lanes per multiprocessor was slower throughout on an H200 (by 10 to 70 %): its
/// lanes all wait together. Four blocks of 256 were up to 8 % faster on an H100 for systems of a
/// few thousand rows, and up to 23 % slower for large ones.
inline constexpr program_config plain_cuda_configs[] = {{512, 2, true}};
/// 8 lanes are the elements of one vector register; the second config runs the code path of the GPU
/// on threads, two warps a team, for the tests.
inline constexpr program_config plain_cpu_configs[] = {{8, 1, false}, {64, 1, true}};

}  // namespace dwell
