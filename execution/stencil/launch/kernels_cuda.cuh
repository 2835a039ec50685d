// SPDX-License-Identifier: MIT
// The kernels of stencils that cache nothing on the chip: the single launches that host-loop and
// graph share, and the whole run of persistent, which perks has too.
#pragma once
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/stencil/launch/rows_cuda.hpp"
#include "dwell/execution/stencil/step/launches.hpp"
#include "dwell/execution/team/grid_team_cuda.cuh"

namespace dwell::cuda {

using plain_team = cuda_grid_team<plain_lanes>;
inline constexpr std::size_t plain_scratch =
    plain_team::reserved_bytes() + plain_lanes * sizeof(double);

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
                cudaGraphConditionalHandle again, int round) {
  plain_team team(nullptr);
  const stencil_status stop = launch_poll<T>(team, a, steps, copy);
  if (round > 0 && threadIdx.x == 0)
    cudaGraphSetConditional(again,
                            stop == stencil_status::running && a.state->done + round <= a.steps);
}
/// Loop: what runs inside, shared by the executors that have it.
template <class S, class T, class Loop, int Config>
__global__ void __launch_bounds__(plain_lanes, looping_teams<S>(thread_configs<S, T>[Config]))
    loop_kernel(const __grid_constant__ stencil_call<S, T> a) {
  cuda_looping_team<plain_lanes> team(a.barrier, a.plan.by_ticket ? a.tickets : nullptr);
  Loop::template run<S, T, (thread_configs<S, T>[Config].across > 1)>(team, a);
}

/// f(std::integral_constant<int, config>).
template <class S, class T, class F>
auto with_plain_config(int config, F&& f) {
  static_assert(thread_configs<S, T>.size() <= 2 && thread_configs<S, T>[0].lanes == plain_lanes);
  if constexpr (thread_configs<S, T>.size() == 2)
    if (config == 1) return f(std::integral_constant<int, 1>{});
  return f(std::integral_constant<int, 0>{});
}

template <class S, class T>
using step_kernel_type = void (*)(stencil_call<S, T>, int);
/// The steps of executors that cache nothing: a launch each.
template <class S, class T>
class single_steps {
 public:
  explicit single_steps(step_kernel_type<S, T> kernel) : kernel_(kernel) { loaded(kernel); }
  /// One step from field[from] to the other copy.
  void launch(cudaStream_t on, const stencil_call<S, T>& a, int from, int) const {
    kernel_<<<a.plan.teams, plain_lanes, plain_scratch, on>>>(a, from);
  }

 private:
  step_kernel_type<S, T> kernel_;
};
template <class S, class T, class E>
step_kernel_type<S, T> step_kernel_of(int config) {
  if constexpr (has_step<E>)
    return own_step_kernel<S, T, E>;
  else
    return with_plain_config<S, T>(
        config, [](auto r) -> step_kernel_type<S, T> { return step_kernel<S, T, r>; });
}

}  // namespace dwell::cuda
