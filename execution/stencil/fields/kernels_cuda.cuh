// SPDX-License-Identifier: MIT
// Kernels of stencils with several fields, which are compiled when they are needed: a stage of the
// plain step, and a pass of several steps.
#pragma once
#include "dwell/execution/stencil/engines/ring_fields2d/agent.hpp"
#include "dwell/execution/stencil/fields/plain_step.hpp"
#include "dwell/execution/team/ring_team_cuda.cuh"

namespace dwell::cuda {

/// A block is a piece of rows; planes are blocks' third index.
template <class S, class T, int Stage>
__global__ void __launch_bounds__(256)
    fields_stage_kernel(const __grid_constant__ fields_stage_args<T> a) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= a.n[1]) return;
  for (int z = static_cast<int>(blockIdx.z); z < a.n[2]; z += static_cast<int>(gridDim.z))
    for (int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); y < a.n[0];
         y += static_cast<int>(gridDim.y * blockDim.y))
      stage_of_cell<S, T, Stage>(a, z, y, x);
}

/// A chain_config as a type, for names of kernels.
template <int... Values>
struct chain {
  static constexpr chain_config value{Values...};
};

/// A pass of engine ring_fields2d.
template <class S, class T, class C>
__global__ void __launch_bounds__(chain_sizes<S, T, C::value>::lanes, C::value.teams)
    fields_pass_kernel(const __grid_constant__ fields_pass<T> a) {
  if constexpr (C::value.bulk == has_bulk_rings) {
    cuda_ring_team<chain_sizes<S, T, C::value>> team;
    fields_pass_of_team<S, T, C::value, true>(team, a);
  }
}

}  // namespace dwell::cuda
