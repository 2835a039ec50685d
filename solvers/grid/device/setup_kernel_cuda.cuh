// SPDX-License-Identifier: MIT
// The kernel of set-ups on grids, which is compiled when it is needed: all teams run together.
#pragma once
#include "dwell/execution/team/team_cuda.cuh"
#include "dwell/solvers/grid/device/setup.hpp"

namespace dwell::cuda {

template <class T, int Lanes>
__global__ void __launch_bounds__(Lanes, 1)
    grid_setup_kernel(const __grid_constant__ grids::grid_setup_args<T> a) {
  cuda_team<Lanes, false, counter_barrier, false> team(a.barrier);
  grids::device_setup<T, cuda_team<Lanes, false, counter_barrier, false>>(team, a)();
}

}  // namespace dwell::cuda
