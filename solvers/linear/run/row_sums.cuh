// SPDX-License-Identifier: MIT
// The kernel of the sums of row_sums.hpp: eight lanes of a warp take a row.
#pragma once
#include <cstdint>

#include "dwell/base/index.hpp"
#include "dwell/execution/device/loops/pass_chunks.hpp"

namespace dwell::cuda {

template <class Rows>
__global__ void __launch_bounds__(pass_lanes) sum_rows_kernel(const Rows of, index rows) {
  constexpr int lanes = Rows::lanes, sums = Rows::sums;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / lanes;
  const auto constants = of.constants();
  double sum[sums] = {};
  if (i < rows) of.part(static_cast<index>(i), lane, constants, sum);
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int k = 0; k < sums; ++k) sum[k] += __shfl_down_sync(~0u, sum[k], half, lanes);
  if (lane == 0 && i < rows) of.put(static_cast<index>(i), constants, sum);
}

}  // namespace dwell::cuda
