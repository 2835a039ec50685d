// SPDX-License-Identifier: MIT
// Kernels of stencils that are compiled ahead, and their rows. Included by generated files only.
#pragma once
#include <cstddef>
#include <memory>

#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/launch/kernels_cuda.cuh"
#include "dwell/execution/stencil/launch/launch_cuda.hpp"
#include "dwell/execution/stencil/launch/rows_cuda.hpp"
#include "dwell/execution/stencil/launch/single_steps_cuda.cuh"

namespace dwell::cuda {

template <class S, class T, class E>
std::unique_ptr<stencil_launcher> prepare_driven(const void* args, const device& where) {
  const auto& a = *static_cast<const stencil_args<T>*>(args);
  const current_device here(where.ordinal());
  return std::make_unique<launcher<S, T, driven_loop<S, T, E>>>(
      where, a, single_steps<S, T>(address_of(step_kernel_of<S, T, E>(a.plan.config))));
}

/// Executors with a `run`, their `loop`.
template <class S, class T, class Loop>
whole_kernel<T> looping_kernel_of(int config) {
  return with_plain_config<S, T>(config, [](auto r) {
    return whole_kernel<T>{address_of(loop_kernel<S, T, Loop, r>), plain_lanes, plain_scratch,
                           &copy_after_steps<T>};
  });
}
template <class S, class T, class Loop>
std::unique_ptr<stencil_launcher> prepare_looping(const void* args, const device& where) {
  const int config = static_cast<const stencil_args<T>*>(args)->plan.config;
  const current_device here(where.ordinal());
  return std::make_unique<launcher<S, T, whole_loop<S, T>>>(where,
                                                            looping_kernel_of<S, T, Loop>(config));
}

template <class S, class T, class E>
engine_facts probe_step(const device& where, int config) {
  return facts_of(step_kernel_of<S, T, E>(config),
                  *step_kernels<S, T, E>().all()[static_cast<std::size_t>(config)], plain_scratch,
                  where);
}
template <class S, class T, class Loop>
engine_facts probe_loop(const device& where, int config) {
  return with_plain_config<S, T>(config, [&](auto r) {
    return facts_of(loop_kernel<S, T, Loop, r>, *loop_kernels<S, T>().all()[r], plain_scratch,
                    where);
  });
}

template <class S, class T, class E>
stencil_kernel driven_kernel() {
  stencil_kernel row = driven_row<S, T, E>();
  row.probe = &probe_step<S, T, E>;
  row.prepare = &prepare_driven<S, T, E>;
  return row;
}
template <class S, class T, class E>
stencil_kernel looping_kernel() {
  stencil_kernel row = looping_row<S, T, E>();
  row.probe = &probe_loop<S, T, typename E::loop>;
  row.prepare = &prepare_looping<S, T, typename E::loop>;
  return row;
}

}  // namespace dwell::cuda
