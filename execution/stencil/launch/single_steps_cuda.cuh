// SPDX-License-Identifier: MIT
// The kernels of steps that are compiled ahead.
#pragma once
#include <type_traits>

#include "dwell/execution/stencil/launch/kernels_cuda.cuh"
#include "dwell/execution/stencil/launch/single_steps_cuda.hpp"

namespace dwell::cuda {

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
template <class S, class T, class E>
step_kernel_type<S, T> step_kernel_of(int config) {
  if constexpr (has_step<E>)
    return own_step_kernel<S, T, E>;
  else
    return with_plain_config<S, T>(
        config, [](auto r) -> step_kernel_type<S, T> { return step_kernel<S, T, r>; });
}

}  // namespace dwell::cuda
