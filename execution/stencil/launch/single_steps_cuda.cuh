// SPDX-License-Identifier: MIT
// The single launches of a step, a comparison and a poll, from the host's side.
#pragma once
#include <type_traits>

#include "dwell/execution/device/kernel_cuda.cuh"
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
                cudaGraphConditionalHandle again, int round) {
  plain_team team(nullptr);
  const stencil_status stop = launch_poll<T>(team, a, steps, copy);
  if (round > 0 && threadIdx.x == 0)
    cudaGraphSetConditional(again,
                            stop == stencil_status::running && a.state->done + round <= a.steps);
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
  explicit single_steps(step_kernel_type<S, T> kernel)
      : kernel_(reinterpret_cast<const void*>(kernel)) {
    loaded(kernel_);
  }
  /// Steps by a kernel that is compiled at run time and stays loaded, with the same arguments.
  explicit single_steps(const void* handle) : kernel_(handle) { loaded(kernel_); }
  /// One step from field[from] to the other copy.
  void launch(cudaStream_t on, const stencil_call<S, T>& a, int from, int) const {
    launch_apart(kernel_, a.plan.teams, plain_lanes, plain_scratch, on, a, from);
  }

 private:
  const void* kernel_;
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
