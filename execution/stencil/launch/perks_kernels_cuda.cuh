// SPDX-License-Identifier: MIT
// The kernels of perks: of engines that cache, and of steps that do not wait for each other.
#pragma once
#include "dwell/execution/stencil/launch/kernels_cuda.cuh"
#include "dwell/execution/stencil/loops/dataflow_steps.hpp"
#include "dwell/execution/stencil/loops/perks.hpp"

namespace dwell::cuda {

using perks_team = cuda_grid_team<perks_lanes>;
static_assert(perks_team::reserved_bytes() == 0);

/// Config K of an engine: nvcc 13 compiles no call of a kernel whose template argument is a struct.
template <class S, class T, class E, class Engine, int K>
__global__ void __launch_bounds__(perks_lanes, 1)
    perks_kernel(const __grid_constant__ stencil_call<S, T> a) {
  perks_team team(a.barrier);
  E::template run<S, T, Engine, Engine::template configs<S, T>[K]>(team, a);
}

/// Steps of the whole field that do not wait for each other. Config: its number among
/// thread_configs.
template <class S, class T, int Config>
__global__ void __launch_bounds__(plain_lanes, looping_configs<S, T>[Config].teams_per_unit)
    dataflow_kernel(const __grid_constant__ stencil_call<S, T> a) {
  cuda_dataflow_team<plain_lanes> team(a.barrier);
  dataflow_steps::run<S, T, (looping_configs<S, T>[Config].across > 1)>(team, a);
}

}  // namespace dwell::cuda
