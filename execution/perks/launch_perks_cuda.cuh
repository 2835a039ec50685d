// SPDX-License-Identifier: MIT
// How a GPU runs perks: one cooperative launch, one block per multiprocessor.
#pragma once
#include "dwell/execution/core/launch_sweep_cuda.cuh"
#include "dwell/execution/perks/perks_sweep.hpp"

namespace dwell::cuda {

using perks_team = cuda_grid_team<perks_lanes>;

template <class S, class T, class E, int RY>
__global__ void __launch_bounds__(perks_lanes, 1)
    keeping_kernel(const __grid_constant__ sweep_call<S, T> a) {
  perks_team team(a.barrier);
  E::template run<S, T, RY>(team, a);
}

/// 64: every piece of scratch begins at a multiple of 16 bytes.
template <class S, class T>
inline constexpr std::size_t perks_base_scratch =
    64 + perks_team::reserved_bytes() + perks_scratch_bytes<S, T>;

template <class S, class T, class E>
double run_keeping(const void* args, std::span<const double> weights, const device& where,
                   const run_control& control) {
  const auto a = call_of<S, T>(args, weights);
  const std::size_t scratch =
      perks_base_scratch<S, T> +
      static_cast<std::size_t>(a.plan.scratch_rows) * perks_layer_values<S> * sizeof(T);
  if (a.plan.rung == 0)
    return run_resident(keeping_kernel<S, T, E, perks_rungs<S, T>[0].register_rows>, a, perks_lanes,
                        scratch, where, control);
  return run_resident(keeping_kernel<S, T, E, 0>, a, perks_lanes, scratch, where, control);
}

template <class S, class T, class E>
sweep_rung_facts probe_keeping(const device& where, int rung) {
  if (rung == 0)
    return facts_of(keeping_kernel<S, T, E, perks_rungs<S, T>[0].register_rows>,
                    perks_rungs<S, T>[0], perks_base_scratch<S, T>, where);
  return facts_of(keeping_kernel<S, T, E, 0>, perks_rungs<S, T>[1], perks_base_scratch<S, T>,
                  where);
}

template <class S, class T, class E>
sweep_variant keeping_variant() {
  return {shape_facts<S>(),
          E::name,
          precision_of<T>,
          backend::cuda,
          true,
          perks_rungs<S, T>,
          &probe_keeping<S, T, E>,
          &run_keeping<S, T, E>};
}

}  // namespace dwell::cuda
