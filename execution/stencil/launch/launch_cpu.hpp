// SPDX-License-Identifier: MIT
// How the CPU runs stencils: a thread for each team, which a launcher keeps from run to run.
// Included by generated files only, which are built for AVX2 and FMA where the processor family has
// them.
#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "dwell/execution/device/scratch_cpu.hpp"
#include "dwell/execution/device/watch_cpu.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/step/engine.hpp"
#include "dwell/execution/stencil/step/launches.hpp"
#include "dwell/execution/team/grid_team_cpu.hpp"
#include "dwell/execution/team/team_threads.hpp"
#include "dwell/execution/team/thread_pool.hpp"

namespace dwell::cpu {

/// One team's thread: makes the team and calls f(team).
template <int Lanes, class T, class F>
void with_grid_team(const stencil_args<T>& a, int worker, int workers, cpu_barrier* grid,
                    const team_scratch& scratch, F&& f) {
  cpu_grid_team<Lanes> team(worker, workers, grid, a.reverse_lanes, scratch.of(worker),
                            scratch.bytes());
  f(team);
}

/// 8 lanes are the elements of one vector register or two.
inline constexpr int plain_lanes = 8;
inline const engine_row& plain_kernels() {
  static const engine_row& row = lasting(step_row(std::array{step_config{plain_lanes, 1}}));
  return row;
}

/// One team's part of a step of executor E: what E has as its own, or the one that all others
/// share.
template <class S, class T, class E>
void step_of(cpu_grid_team<plain_lanes>& team, const stencil_call<S, T>& a, int parity) {
  if constexpr (has_step<E>)
    launch_own_step<S, T, E>(team, a, parity);
  else
    launch_step<S, T>(team, a, parity);
}

/// What the runs of a kernel have in common: they end before start() returns.
template <class S, class T>
class launcher : public stencil_launcher {
 public:
  std::optional<stencil_state> start(const stencil_start& run, const run_control& control) final {
    if (!run.words.empty()) std::memset(run.words.data(), 0, run.words.size());
    const auto a = call_of<S, T>(run.args, run.weights);
    run_watch watch(control, a.watch);
    const double begin = seconds_now();
    run_all(a, watch);
    end_.seconds += seconds_now() - begin;
    watch.finish();
    return end_.state = *a.state;
  }
  stencil_end wait(const run_control&) final { return std::exchange(end_, {}); }

 private:
  virtual void run_all(const stencil_call<S, T>& a, run_watch& watch) = 0;
  stencil_end end_;
};

/// The steps of executor E that caches nothing: what it has as its own, or the step that all others
/// share.
template <class S, class T, class E>
class single_steps {
 public:
  static constexpr int phases = 1;  ///< of a launch; teams meet between two of them
  /// The copy of the field that holds the result of so many steps from field[from] on.
  static int copy_after(int from, int) { return from ^ 1; }

  explicit single_steps(const stencil_args<T>& a)
      : teams_(a.plan.teams), scratch_(a.plan.teams, plain_lanes * sizeof(double)) {}
  /// One team's part of a phase of one step from field[from].
  void run(int team, const stencil_call<S, T>& a, int from, int, int) const {
    with_grid_team<plain_lanes>(a, team, teams_, nullptr, scratch_,
                                [&](auto& t) { step_of<S, T, E>(t, a, from); });
  }

 private:
  int teams_;
  team_scratch scratch_;
};

/// The queue of executors whose time loop runs on the host, and its threads. Steps: runs steps, see
/// single_steps.
template <class S, class T, class Steps>
class stencil_queue {
 public:
  explicit stencil_queue(const stencil_args<T>& a)
      : teams_(a.plan.teams),
        steps_(a),
        scratch_(a.plan.teams, plain_lanes * sizeof(double)),
        pool_(a.plan.teams) {}
  /// For the next run.
  void take(const stencil_call<S, T>& a, run_watch& watch) {
    a_ = &a;
    watch_ = &watch;
    copy_ = 0;
  }

  void begin() {}
  /// So many steps, at most plan.depth, in one launch.
  void step(int steps) {
    for (int phase = 0; phase < Steps::phases; ++phase)
      pool_.launch([&](int team) { steps_.run(team, *a_, copy_, steps, phase); });
    copy_ = Steps::copy_after(copy_, steps);
  }
  void compare(int steps) {
    launch(teams_, [&](auto& team) { launch_compare<T>(team, *a_, steps, copy_); });
  }
  void poll(int steps) {
    with_team(0, 1, [&](auto& team) { launch_poll<T>(team, *a_, steps, copy_); });
    watch_->poll();
  }
  void record_outcome(int mark) { marks_[mark] = *a_->state; }
  stencil_state outcome(int mark) const { return marks_[mark]; }
  void finish() {}

 private:
  template <class F>
  void with_team(int worker, int workers, F&& f) {
    with_grid_team<plain_lanes>(*a_, worker, workers, nullptr, scratch_, f);
  }
  template <class F>
  void launch(int teams, F&& f) {
    pool_.launch([&](int member) { with_team(member, teams, f); });
  }

  const int teams_;
  const Steps steps_;
  int copy_ = 0;                           ///< of the field that the next launch reads
  const stencil_call<S, T>* a_ = nullptr;  ///< of the present run
  run_watch* watch_ = nullptr;             ///< likewise
  team_scratch scratch_;
  thread_pool pool_;
  stencil_state marks_[2];
};

/// Executors with a `drive`.
template <class S, class T, class E, class Steps = single_steps<S, T, E>>
class driven_launcher : public launcher<S, T> {
 public:
  explicit driven_launcher(const stencil_args<T>& a) : queue_(a) {}

 private:
  void run_all(const stencil_call<S, T>& a, run_watch& watch) override {
    queue_.take(a, watch);
    E::template drive<T>(queue_, a);
  }
  stencil_queue<S, T, Steps> queue_;
};

/// Executors whose teams live through a run, with so many bytes of scratch each.
template <class S, class T>
class meeting_launcher : public launcher<S, T> {
 protected:
  meeting_launcher(int teams, std::size_t scratch_bytes)
      : scratch_(teams, scratch_bytes), threads_(teams) {}
  /// f(team) on every team's thread.
  template <int Lanes, class F>
  void run_teams(const stencil_call<S, T>& a, run_watch& watch, F&& f) {
    threads_.run(watch, [&](int t, cpu_barrier& grid) {
      with_grid_team<Lanes>(a, t, a.plan.teams, &grid, scratch_, f);
    });
  }

 private:
  team_scratch scratch_;
  team_threads threads_;
};

/// Executors with a `run`.
template <class S, class T, class E>
class looping_launcher : public meeting_launcher<S, T> {
 public:
  explicit looping_launcher(const stencil_args<T>& a)
      : meeting_launcher<S, T>(a.plan.teams, plain_lanes * sizeof(double)) {}

 private:
  void run_all(const stencil_call<S, T>& a, run_watch& watch) override {
    this->template run_teams<plain_lanes>(a, watch,
                                          [&](auto& team) { E::template run<S, T>(team, a); });
  }
};

template <class T, class Launcher>
std::unique_ptr<stencil_launcher> prepare_plain(const void* args, const device&) {
  return std::make_unique<Launcher>(*static_cast<const stencil_args<T>*>(args));
}

inline engine_facts assume_plain(const device_facts& facts, int config) {
  return {plain_kernels().all()[static_cast<std::size_t>(config)], 0, 0, facts.units, 0};
}
inline engine_facts probe_plain(const device& where, int config) {
  return assume_plain(where.facts(), config);
}

template <class S, class T, class E>
stencil_kernel driven_kernel() {
  return {shape_facts<S>(), E::name,      precision_of<T>,
          backend::cpu,     false,        plain_kernels().all(),
          &assume_plain,    &probe_plain, &prepare_plain<T, driven_launcher<S, T, E>>};
}
template <class S, class T, class E>
stencil_kernel looping_kernel() {
  return {shape_facts<S>(), E::name,      precision_of<T>,
          backend::cpu,     true,         plain_kernels().all(),
          &assume_plain,    &probe_plain, &prepare_plain<T, looping_launcher<S, T, E>>};
}

}  // namespace dwell::cpu
