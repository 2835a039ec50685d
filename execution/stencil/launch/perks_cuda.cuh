// SPDX-License-Identifier: MIT
// How a GPU runs perks: one cooperative launch, one block per multiprocessor; or, where nothing is
// worth caching, steps of the whole field in one launch, with a barrier after each or without.
#pragma once
#include "dwell/execution/stencil/launch/launch_cuda.cuh"
#include "dwell/execution/stencil/launch/perks_kernels_cuda.cuh"
#include "dwell/execution/stencil/launch/rows_perks_cuda.hpp"
#include "dwell/execution/stencil/loops/barrier_steps.hpp"
#include "dwell/execution/stencil/loops/perks.hpp"

namespace dwell::cuda {

template <class S, class T, class E>
whole_kernel<T> caching_kernel_of(const stencil_plan& how) {
  if (const int k = how.config - first_dataflow_kernel<S, T>; k >= 0)
    return with_plain_config<S, T>(k, [](auto r) {
      return whole_kernel<T>{address_of(dataflow_kernel<S, T, r>), plain_lanes, plain_scratch,
                             &copy_after_steps<T>};
    });
  if (const int k = how.config - first_step_kernel<S, T>; k >= 0)
    return looping_kernel_of<S, T, barrier_steps>(k);
  return caching_engines::with_index<S, T>(how.config, [&]<class Engine, int K>() {
    constexpr auto C = Engine::template configs<S, T>[K];
    const std::size_t scratch =
        kernel_scratch_bytes<Engine, S, T>(C) + Engine::template layer_bytes<S, T>(C, how);
    return whole_kernel<T>{address_of(perks_kernel<S, T, E, Engine, K>), perks_lanes, scratch,
                           &E::template last_copy<T>};
  });
}

template <class S, class T, class E>
std::unique_ptr<stencil_launcher> prepare_caching(const void* args, const device& where) {
  const stencil_plan& how = static_cast<const stencil_args<T>*>(args)->plan;
  const current_device here(where.ordinal());
  return std::make_unique<launcher<S, T, whole_loop<S, T>>>(where, caching_kernel_of<S, T, E>(how));
}

template <class S, class T, class E>
engine_facts probe_caching(const device& where, int config) {
  const stencil_engine& engine = *caching_kernels<S, T>().all()[static_cast<std::size_t>(config)];
  if (const int k = config - first_dataflow_kernel<S, T>; k >= 0)
    return with_plain_config<S, T>(k, [&](auto r) {
      return facts_of(dataflow_kernel<S, T, r>, engine, plain_scratch, where);
    });
  if (const int k = config - first_step_kernel<S, T>; k >= 0)
    return with_plain_config<S, T>(k, [&](auto r) {
      return facts_of(loop_kernel<S, T, barrier_steps, r>, engine, plain_scratch, where);
    });
  return caching_engines::with_index<S, T>(config, [&]<class Engine, int K>() {
    constexpr auto C = Engine::template configs<S, T>[K];
    return facts_of(perks_kernel<S, T, E, Engine, K>, engine, kernel_scratch_bytes<Engine, S, T>(C),
                    where);
  });
}

template <class S, class T, class E>
stencil_kernel caching_kernel() {
  stencil_kernel row = caching_row<S, T, E>();
  row.probe = &probe_caching<S, T, E>;
  row.prepare = &prepare_caching<S, T, E>;
  return row;
}

}  // namespace dwell::cuda
