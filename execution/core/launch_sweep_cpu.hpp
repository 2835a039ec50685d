// SPDX-License-Identifier: MIT
// How the CPU runs Sweeps: a crew of threads, one team each. Included by generated files only,
// which are built for AVX2 and FMA where the processor family has them.
#pragma once
#include <cstddef>
#include <span>

#include "dwell/execution/core/crew.hpp"
#include "dwell/execution/core/grid_team_cpu.hpp"
#include "dwell/execution/core/run_teams_cpu.hpp"
#include "dwell/execution/core/scratch_cpu.hpp"
#include "dwell/execution/core/sweep_launches.hpp"
#include "dwell/execution/core/sweep_variant.hpp"
#include "dwell/execution/core/watch_cpu.hpp"

namespace dwell::cpu {

/// One team's thread: makes the team and calls f(team).
template <int Lanes, class T, class F>
void with_grid_team(const sweep_args<T>& a, int worker, int workers, cpu_barrier* grid,
                    const team_scratch& scratch, F&& f) {
  cpu_grid_team<Lanes> team(worker, workers, grid, a.reverse_lanes, scratch.of(worker),
                            scratch.bytes());
  f(team);
}

/// 8 lanes are the elements of one vector register or two.
inline constexpr sweep_rung plain_rungs[] = {{8, 1}};

/// The queue of executors whose time loop runs on the host.
template <class S, class T>
class sweep_queue {
 public:
  sweep_queue(const sweep_call<S, T>& a, run_watch& watch)
      : a_(a), watch_(watch), scratch_(a.plan.teams, lanes * sizeof(double)), crew_(a.plan.teams) {}

  void begin() {}
  void step(int turn) {
    launch(a_.plan.teams, [&](auto& team) { launch_step<S, T>(team, a_, turn); });
  }
  void compare(int steps) {
    launch(a_.plan.teams, [&](auto& team) { launch_compare<T>(team, a_, steps); });
  }
  void look(int steps) {
    with_team(0, 1, [&](auto& team) { launch_look<T>(team, a_, steps); });
    watch_.look();
  }
  void post(int mark) { marks_[mark] = *a_.state; }
  sweep_state outcome(int mark) const { return marks_[mark]; }
  void finish() {}

 private:
  static constexpr int lanes = plain_rungs[0].lanes;
  template <class F>
  void with_team(int worker, int workers, F&& f) {
    with_grid_team<lanes>(a_, worker, workers, nullptr, scratch_, f);
  }
  template <class F>
  void launch(int teams, F&& f) {
    crew_.launch([&](int member) { with_team(member, teams, f); });
  }

  const sweep_call<S, T>& a_;
  run_watch& watch_;
  team_scratch scratch_;
  crew crew_;
  sweep_state marks_[2];
};

/// Executors with a `drive`.
template <class S, class T, class E>
double drive_sweep(const void* args, std::span<const double> weights, const device&,
                   const run_control& control) {
  const auto a = call_of<S, T>(args, weights);
  run_watch watch(control, a.watch);
  sweep_queue<S, T> queue(a, watch);
  const double begin = seconds_now();
  E::template drive<T>(queue, a);
  const double seconds = seconds_now() - begin;
  watch.finish();
  return seconds;
}

/// Executors with a `run`.
template <class S, class T, class E>
double run_sweep(const void* args, std::span<const double> weights, const device&,
                 const run_control& control) {
  constexpr int lanes = plain_rungs[0].lanes;
  const auto a = call_of<S, T>(args, weights);
  run_watch watch(control, a.watch);
  const team_scratch scratch(a.plan.teams, lanes * sizeof(double));
  const double begin = seconds_now();
  run_teams(a.plan.teams, watch, [&](int t, cpu_barrier& grid) {
    with_grid_team<lanes>(a, t, a.plan.teams, &grid, scratch,
                          [&](auto& team) { E::template run<S, T>(team, a); });
  });
  const double seconds = seconds_now() - begin;
  watch.finish();
  return seconds;
}

inline sweep_rung_facts probe_plain(const device& where, int rung) {
  return {plain_rungs[rung], 0, 0, where.threads(), 0};
}

template <class S, class T, class E>
sweep_variant driven_variant() {
  return {shape_facts<S>(), E::name,      precision_of<T>,      backend::cpu, false,
          plain_rungs,      &probe_plain, &drive_sweep<S, T, E>};
}
template <class S, class T, class E>
sweep_variant running_variant() {
  return {shape_facts<S>(), E::name,      precision_of<T>,    backend::cpu, true,
          plain_rungs,      &probe_plain, &run_sweep<S, T, E>};
}

}  // namespace dwell::cpu
