// SPDX-License-Identifier: MIT
// The kernels between launches of steps: a comparison and a poll.
#pragma once
#include "dwell/execution/device/graph_condition.cuh"
#include "dwell/execution/stencil/launch/kernels_cuda.cuh"

namespace dwell::cuda {

template <class T>
__global__ void __launch_bounds__(plain_lanes)
    compare_kernel(const __grid_constant__ stencil_args<T> a, int steps, int copy) {
  plain_team team(nullptr);
  launch_compare<T>(team, a, steps, copy);
}
/// `again` is told whether a round of `round` steps may follow; 0: nobody asks.
template <class T>
__global__ void __launch_bounds__(plain_lanes)
    poll_kernel(const __grid_constant__ stencil_args<T> a, int steps, int copy,
                unsigned long long again, int round) {
  plain_team team(nullptr);
  const stencil_status stop = launch_poll<T>(team, a, steps, copy);
  if (round > 0 && threadIdx.x == 0)
    set_graph_condition(again, stop == stencil_status::running && a.state->done + round <= a.steps);
}

}  // namespace dwell::cuda
