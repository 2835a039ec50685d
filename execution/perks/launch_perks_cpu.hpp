// SPDX-License-Identifier: MIT
// How the CPU runs perks: the protocol of the GPU, for tests. A thread plays all lanes of a team.
#pragma once
#include "dwell/execution/core/launch_sweep_cpu.hpp"
#include "dwell/execution/perks/perks_sweep.hpp"

namespace dwell::cpu {

template <class S, class T, class E>
double run_keeping(const void* args, std::span<const double> weights, const device&,
                   const run_control& control) {
  const auto a = call_of<S, T>(args, weights);
  run_watch watch(control, a.watch);
  const team_scratch scratch(
      a.plan.teams,
      perks_scratch_bytes<S, T>(perks_rungs<S, T>[static_cast<std::size_t>(a.plan.rung)]) +
          perks_layer_bytes<S, T>(a.plan));
  const double begin = seconds_now();
  run_teams(a.plan.teams, watch, [&](int t, cpu_barrier& grid) {
    with_grid_team<perks_lanes>(a, t, a.plan.teams, &grid, scratch, [&](auto& team) {
      with_perks_rung<S, T>(a.plan.rung, [&](auto rung) {
        constexpr sweep_rung r = perks_rungs<S, T>[rung];
        E::template run<S, T, r>(team, a);
      });
    });
  });
  const double seconds = seconds_now() - begin;
  watch.finish();
  return seconds;
}

template <class S, class T>
sweep_rung_facts probe_keeping(const device& where, int rung) {
  const sweep_rung& r = perks_rungs<S, T>[static_cast<std::size_t>(rung)];
  return {r, 0, 0, where.threads(), perks_scratch_bytes<S, T>(r)};
}

template <class S, class T, class E>
sweep_variant keeping_variant() {
  return {shape_facts<S>(),
          E::name,
          precision_of<T>,
          backend::cpu,
          true,
          perks_rungs<S, T>,
          &probe_keeping<S, T>,
          &run_keeping<S, T, E>};
}

}  // namespace dwell::cpu
