// SPDX-License-Identifier: MIT
// How a GPU runs perks: one cooperative launch, one block per multiprocessor; or, where nothing is
// worth keeping, steps of the whole field in one launch, with a barrier after each or without.
#pragma once
#include <algorithm>
#include <array>

#include "dwell/execution/core/launch_sweep_cuda.cuh"
#include "dwell/execution/core/resident_steps.hpp"
#include "dwell/execution/perks/flowing_steps.hpp"
#include "dwell/execution/perks/perks_sweep.hpp"

namespace dwell::cuda {

using perks_team = cuda_grid_team<perks_lanes>;

/// Rung: its number in the ladder.
template <class S, class T, class E, int Rung>
__global__ void __launch_bounds__(perks_lanes, 1)
    keeping_kernel(const __grid_constant__ sweep_call<S, T> a) {
  perks_team team(a.barrier);
  E::template run<S, T, perks_rungs<S, T>[Rung]>(team, a);
}

/// Steps of the whole field that do not wait for each other.
template <class S, class T>
inline constexpr auto flowing_rungs = [] {
  auto all = whole_rungs<S, T>;
  for (sweep_rung& r : all) r.flows = true;
  return all;
}();
template <class S, class T, int Rung>
__global__ void __launch_bounds__(plain_lanes, flowing_rungs<S, T>[Rung].teams_per_unit)
    flowing_kernel(const __grid_constant__ sweep_call<S, T> a) {
  cuda_flowing_team<plain_lanes> team(a.barrier);
  flowing_steps::run<S, T, (flowing_rungs<S, T>[Rung].across > 1)>(team, a);
}

/// The rungs that keep tiles; then those for steps of the whole field, with a barrier after each
/// and without.
template <class S, class T>
inline constexpr std::size_t keeping_rungs = perks_rungs<S, T>.size();
template <class S, class T>
inline constexpr std::size_t waiting_rungs = keeping_rungs<S, T> + whole_rungs<S, T>.size();
template <class S, class T>
inline constexpr auto all_perks_rungs = [] {
  std::array<sweep_rung, waiting_rungs<S, T> + flowing_rungs<S, T>.size()> all{};
  std::copy(perks_rungs<S, T>.begin(), perks_rungs<S, T>.end(), all.begin());
  std::copy(whole_rungs<S, T>.begin(), whole_rungs<S, T>.end(), all.begin() + keeping_rungs<S, T>);
  std::copy(flowing_rungs<S, T>.begin(), flowing_rungs<S, T>.end(),
            all.begin() + waiting_rungs<S, T>);
  return all;
}();

template <class S, class T>
std::size_t perks_base_scratch(const sweep_rung& r) {
  return perks_team::reserved_bytes() + perks_scratch_bytes<S, T>(r);
}

template <class S, class T, class E>
double run_keeping(const void* args, std::span<const double> weights, const device& where,
                   const run_control& control) {
  sweep_args<T> steps = *static_cast<const sweep_args<T>*>(args);
  if (constexpr int waiting = waiting_rungs<S, T>; steps.plan.rung >= waiting) {
    const auto a = call_of<S, T>(args, weights);
    return with_plain_rung<S, T>(a.plan.rung - waiting, [&](auto rung) {
      return run_resident(flowing_kernel<S, T, rung>, a, plain_lanes, plain_scratch, where,
                          control);
    });
  }
  if (constexpr int keeping = keeping_rungs<S, T>; steps.plan.rung >= keeping) {
    steps.plan.rung -= keeping;
    return run_sweep<S, T, resident_steps>(&steps, weights, where, control);
  }
  const auto a = call_of<S, T>(args, weights);
  return with_perks_rung<S, T>(a.plan.rung, [&](auto rung) {
    constexpr sweep_rung r = perks_rungs<S, T>[rung];
    const std::size_t scratch = perks_base_scratch<S, T>(r) + perks_layer_bytes<S, T>(a.plan);
    return run_resident(keeping_kernel<S, T, E, rung>, a, r.lanes, scratch, where, control);
  });
}

template <class S, class T, class E>
sweep_rung_facts probe_keeping(const device& where, int rung) {
  if (constexpr int waiting = waiting_rungs<S, T>; rung >= waiting)
    return with_plain_rung<S, T>(rung - waiting, [&](auto r) {
      return facts_of(flowing_kernel<S, T, r>, flowing_rungs<S, T>[r], plain_scratch, where);
    });
  if (constexpr int keeping = keeping_rungs<S, T>; rung >= keeping)
    return probe_whole<S, T, resident_steps>(where, rung - keeping);
  return with_perks_rung<S, T>(rung, [&](auto index) {
    constexpr sweep_rung r = perks_rungs<S, T>[index];
    return facts_of(keeping_kernel<S, T, E, index>, r, perks_base_scratch<S, T>(r), where);
  });
}

template <class S, class T, class E>
sweep_variant keeping_variant() {
  return {shape_facts<S>(),
          E::name,
          precision_of<T>,
          backend::cuda,
          true,
          all_perks_rungs<S, T>,
          &probe_keeping<S, T, E>,
          &run_keeping<S, T, E>};
}

}  // namespace dwell::cuda
