// SPDX-License-Identifier: MIT
// The kernel of the passes of ordered_pass.hpp: a block takes chunks, the last block to end puts
// the chunks together.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/execution/device/loops/pass_chunks.hpp"
#include "dwell/execution/device/loops/pass_scratch.hpp"

namespace dwell::cuda {

template <class Pass>
__device__ void fold_lanes(double (*lane)[Pass::totals]) {
  const int l = static_cast<int>(threadIdx.x);
  for (int half = pass_lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (l < half) Pass::combine(lane[l], lane[l + half]);
  }
  __syncthreads();
}

template <class Pass>
__global__ void __launch_bounds__(pass_lanes)
    pass_kernel(index n, const Pass pass, pass_scratch scratch) {
  __shared__ double lane[pass_lanes][Pass::totals];
  __shared__ bool last;
  const int l = static_cast<int>(threadIdx.x);
  const index chunks = pass_chunks(n);
  const auto constants = pass.constants();
  for (index c = static_cast<index>(blockIdx.x); c < chunks; c += static_cast<index>(gridDim.x)) {
    double acc[Pass::totals] = {};
    const std::int64_t first = static_cast<std::int64_t>(c) * pass_chunk;
    for (std::int64_t i = first + l; i < first + pass_chunk && i < n; i += pass_lanes)
      pass.element(static_cast<index>(i), constants, acc);
    for (int k = 0; k < Pass::totals; ++k) lane[l][k] = acc[k];
    fold_lanes<Pass>(lane);
    if (l < Pass::totals)
      scratch.partial[static_cast<std::int64_t>(c) * Pass::totals + l] = lane[0][l];
    __syncthreads();
  }
  __threadfence();
  __syncthreads();
  if (l == 0) last = atomicAdd(scratch.done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  double acc[Pass::totals] = {};
  for (index c = l; c < chunks; c += pass_lanes) {
    double part[Pass::totals];
    for (int k = 0; k < Pass::totals; ++k)
      part[k] = __ldcg(scratch.partial + static_cast<std::int64_t>(c) * Pass::totals + k);
    Pass::combine(acc, part);
  }
  for (int k = 0; k < Pass::totals; ++k) lane[l][k] = acc[k];
  fold_lanes<Pass>(lane);
  if (l == 0) {
    pass.conclude(lane[0]);
    *scratch.done = 0;
  }
}

}  // namespace dwell::cuda
