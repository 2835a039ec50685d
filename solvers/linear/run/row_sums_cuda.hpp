// SPDX-License-Identifier: MIT
// The sums of row_sums.hpp on a GPU: launches.
#pragma once
#include "dwell/base/index.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/kernel_unit_cuda.hpp"
#include "dwell/execution/device/loops/pass_chunks.hpp"
#if defined(__CUDACC__)
#include "dwell/solvers/linear/run/row_sums.cuh"
#endif

namespace dwell::cuda {

DWELL_KERNEL(sum_rows_kernel_of, dwell::cuda::sum_rows_kernel)

/// Puts the sums into the device's stream. Kernels: their unit.
template <class Kernels, class Rows>
void sum_rows(const device& where, const Rows& of, index rows) {
  constexpr int rows_per_block = pass_lanes / Rows::lanes;
  if (rows == 0) return;
  launch_kernel<Kernels, sum_rows_kernel_of<Rows>>(
      where, static_cast<unsigned>((rows - 1) / rows_per_block + 1), pass_lanes, of, rows);
}

}  // namespace dwell::cuda
