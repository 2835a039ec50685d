// SPDX-License-Identifier: MIT
// The passes of ordered_pass.hpp on a GPU: launches.
#pragma once
#include "dwell/base/index.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/kernel_unit_cuda.hpp"
#include "dwell/execution/device/loops/pass_chunks.hpp"
#include "dwell/execution/device/loops/pass_scratch.hpp"
#if defined(__CUDACC__)
#include "dwell/execution/device/loops/ordered_pass.cuh"
#endif

namespace dwell::cuda {

DWELL_KERNEL(ordered_pass_of, dwell::cuda::pass_kernel)

/// Puts the pass into the device's stream. Kernels: their unit.
template <class Kernels, class Pass>
void run_pass(const device& where, index n, const Pass& pass, const pass_scratch& scratch) {
  constexpr index most_blocks = 2048;
  const index blocks = pass_chunks(n) < most_blocks ? pass_chunks(n) : most_blocks;
  launch_kernel<Kernels, ordered_pass_of<Pass>>(where, static_cast<unsigned>(blocks), pass_lanes, n,
                                                pass, scratch);
}

}  // namespace dwell::cuda
