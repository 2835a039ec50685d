// SPDX-License-Identifier: MIT
// The kernels of Sweeps that keep nothing on the chip: the single launches that host-loop and graph
// share, and the whole run of persistent, which perks has too.
#pragma once
#include "dwell/execution/core/grid_team_cuda.cuh"
#include "dwell/execution/core/sweep_launches.hpp"

namespace dwell::cuda {

inline constexpr int plain_lanes = 256;
using plain_team = cuda_grid_team<plain_lanes>;
inline constexpr std::size_t plain_scratch =
    plain_team::reserved_bytes() + plain_lanes * sizeof(double);

/// Rung: its number among thread_rungs.
template <class S, class T, int Rung>
__global__ void __launch_bounds__(plain_lanes, thread_rungs<S, T>[Rung].teams_per_unit)
    step_kernel(const __grid_constant__ sweep_call<S, T> a, int turn) {
  plain_team team(nullptr);
  launch_step<S, T, (thread_rungs<S, T>[Rung].across > 1)>(team, a, turn);
}
template <class T>
__global__ void __launch_bounds__(plain_lanes)
    compare_kernel(const __grid_constant__ sweep_args<T> a, int steps) {
  plain_team team(nullptr);
  launch_compare<T>(team, a, steps);
}
/// `again` is told whether a round of `round` steps may follow; 0: nobody asks.
template <class T>
__global__ void __launch_bounds__(plain_lanes)
    look_kernel(const __grid_constant__ sweep_args<T> a, int steps,
                cudaGraphConditionalHandle again, int round) {
  plain_team team(nullptr);
  const sweep_stop stop = launch_look<T>(team, a, steps);
  if (round > 0 && threadIdx.x == 0)
    cudaGraphSetConditional(again, stop == sweep_stop::running && a.state->done + round <= a.steps);
}
/// The time loop, too, needs registers. Shapes that are not linear have as many teams all the same:
/// their arithmetic waits for itself, and other teams hide that (gradient2d: 140 to 155 GCells/s).
template <class S>
constexpr int whole_teams(const sweep_rung& r) {
  return is_linear<S> && r.teams_per_unit > 2 ? r.teams_per_unit - 1 : r.teams_per_unit;
}
/// Loop: what runs inside, shared by the executors that have it.
template <class S, class T, class Loop, int Rung>
__global__ void __launch_bounds__(plain_lanes, whole_teams<S>(thread_rungs<S, T>[Rung]))
    whole_kernel(const __grid_constant__ sweep_call<S, T> a) {
  cuda_staying_team<plain_lanes> team(a.barrier, a.plan.by_ticket ? a.tickets : nullptr);
  Loop::template run<S, T, (thread_rungs<S, T>[Rung].across > 1)>(team, a);
}

/// Kernels that hold the time loop are compiled for fewer teams than those of a single step.
template <class S, class T>
inline constexpr auto whole_rungs = [] {
  auto all = thread_rungs<S, T>;
  for (sweep_rung& r : all) r.teams_per_unit = whole_teams<S>(r);
  return all;
}();

/// f(std::integral_constant<int, rung>).
template <class S, class T, class F>
auto with_plain_rung(int rung, F&& f) {
  static_assert(thread_rungs<S, T>.size() <= 2 && thread_rungs<S, T>[0].lanes == plain_lanes);
  if constexpr (thread_rungs<S, T>.size() == 2)
    if (rung == 1) return f(std::integral_constant<int, 1>{});
  return f(std::integral_constant<int, 0>{});
}

}  // namespace dwell::cuda
