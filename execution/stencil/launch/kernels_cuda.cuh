// SPDX-License-Identifier: MIT
// The kernels of stencils that cache nothing on the chip: the single launches that host-loop and
// graph share, and the whole run of persistent, which perks has too.
#pragma once
#include "dwell/execution/stencil/launch/plain_configs.hpp"
#include "dwell/execution/stencil/step/launches.hpp"
#include "dwell/execution/team/grid_team_cuda.cuh"

namespace dwell::cuda {

using plain_team = cuda_grid_team<plain_lanes>;
static_assert(plain_team::reserved_bytes() == 0);

/// Config: its number among thread_configs.
template <class S, class T, int Config>
__global__ void __launch_bounds__(plain_lanes, thread_configs<S, T>[Config].teams_per_unit)
    step_kernel(const __grid_constant__ stencil_call<S, T> a, int parity) {
  plain_team team(nullptr);
  launch_step<S, T, (thread_configs<S, T>[Config].across > 1)>(team, a, parity);
}
/// The step of an executor that has its own.
template <class S, class T, class E>
__global__ void __launch_bounds__(plain_lanes)
    own_step_kernel(const __grid_constant__ stencil_call<S, T> a, int parity) {
  plain_team team(nullptr);
  launch_own_step<S, T, E>(team, a, parity);
}
/// Loop: what runs inside, shared by the executors that have it.
template <class S, class T, class Loop, int Config>
__global__ void __launch_bounds__(plain_lanes, looping_teams<S>(thread_configs<S, T>[Config]))
    loop_kernel(const __grid_constant__ stencil_call<S, T> a) {
  cuda_looping_team<plain_lanes> team(a.barrier, a.plan.by_ticket ? a.tickets : nullptr);
  Loop::template run<S, T, (thread_configs<S, T>[Config].across > 1)>(team, a);
}

}  // namespace dwell::cuda
