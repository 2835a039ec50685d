// SPDX-License-Identifier: MIT
// How the CPU runs stencils: a thread for each team, which a launcher keeps from run to run. Time
// loops see steps through steps_cpu.hpp and are compiled once, in launch_cpu.cpp. Included by
// generated files, which are built for AVX2 and FMA where the processor family has them.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "dwell/base/api.hpp"
#include "dwell/execution/device/watch_cpu.hpp"
#include "dwell/execution/stencil/launch/call_of.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/launch/steps_cpu.hpp"
#include "dwell/execution/stencil/step/engine.hpp"
#include "dwell/execution/stencil/step/launches.hpp"
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

inline const engine_row& plain_kernels() {
  static const engine_row* const row = lasting(step_row(std::array{step_config{plain_lanes, 1}}));
  return *row;
}

/// The steps of a shape by an executor that caches nothing: the executor's own, or those that all
/// others share (Own is void).
template <class S, class T, class Own = void>
class shape_step final : public single_step<T> {
 public:
  explicit shape_step(int teams) : single_step<T>(teams) {}
  const stencil_args<T>& take(const stencil_start& run) override {
    return a_ = call_of<S, T>(run.args, run.weights);
  }
  const stencil_args<T>& args() const override { return a_; }
  void step(plain_team& team, const T* in, T* out) const override {
    if constexpr (std::is_void_v<Own>)
      step_field<S, T, false>(team, a_, in, out);
    else
      Own::template step<S, T>(team, a_, in, out);
  }

 private:
  stencil_call<S, T> a_;
};

template <class S, class T, class E>
std::unique_ptr<single_step<T>> step_of(int teams) {
  using own = std::conditional_t<has_step<E>, E, void>;
  return std::make_unique<shape_step<S, T, own>>(teams);
}

/// What the runs of a kernel have in common: they end before start() returns.
template <class T>
class DWELL_API launcher : public stencil_launcher {
 public:
  std::optional<stencil_state> start(const stencil_start& run, const run_control& control) final;
  stencil_end wait(const run_control&) final { return std::exchange(end_, {}); }

 private:
  /// Keeps what a run is started with.
  virtual const stencil_args<T>& take(const stencil_start& run) = 0;
  virtual void run_all(run_watch& watch) = 0;
  stencil_end end_;
};

/// The queue of executors whose time loop runs on the host, and its threads.
template <class T>
class DWELL_API stencil_queue {
 public:
  stencil_queue(int teams, std::unique_ptr<field_steps<T>> steps);
  const stencil_args<T>& take(const stencil_start& run);
  void watched_by(run_watch& watch) { watch_ = &watch; }

  void begin() {}
  /// So many steps, at most plan.depth, in one launch.
  void step(int steps);
  void compare(int steps);
  void poll(int steps);
  void record_outcome(int mark) { marks_[mark] = *a_->state; }
  stencil_state outcome(int mark) const { return marks_[mark]; }
  void finish() {}

 private:
  const int teams_;
  const std::unique_ptr<field_steps<T>> steps_;
  int copy_ = 0;                        ///< copy of the field that the next launch reads
  const stencil_args<T>* a_ = nullptr;  ///< arguments of the present run
  run_watch* watch_ = nullptr;          ///< watch of the present run
  team_scratch scratch_;
  thread_pool pool_;
  stencil_state marks_[2];
};

/// Executors with a `drive`.
template <class T, class E>
class driven_launcher final : public launcher<T> {
 public:
  driven_launcher(int teams, std::unique_ptr<field_steps<T>> steps)
      : queue_(teams, std::move(steps)) {}

 private:
  const stencil_args<T>& take(const stencil_start& run) override {
    return *(a_ = &queue_.take(run));
  }
  void run_all(run_watch& watch) override {
    queue_.watched_by(watch);
    E::template drive<T>(queue_, *a_);
  }
  const stencil_args<T>* a_ = nullptr;
  stencil_queue<T> queue_;
};

/// Executors whose teams live through a run, with so many bytes of scratch each.
template <class T>
class barrier_launcher : public launcher<T> {
 protected:
  barrier_launcher(int teams, std::size_t scratch_bytes)
      : scratch_(teams, scratch_bytes), threads_(teams) {}
  /// f(team) on every team's thread.
  template <int Lanes, class F>
  void run_teams(const stencil_args<T>& a, run_watch& watch, F&& f) {
    threads_.run(watch, [&](int t, cpu_barrier& grid) {
      with_grid_team<Lanes>(a, t, a.plan.teams, &grid, scratch_, f);
    });
  }

 private:
  team_scratch scratch_;
  team_threads threads_;
};

template <class S, class T, class E>
std::unique_ptr<stencil_launcher> prepare_driven(const void* args, const device&) {
  const int teams = static_cast<const stencil_args<T>*>(args)->plan.teams;
  return std::make_unique<driven_launcher<T, E>>(teams, step_of<S, T, E>(teams));
}
inline engine_facts assume_plain(const device_facts& facts, int config) {
  return {plain_kernels().all()[static_cast<std::size_t>(config)], 0, 0, facts.units, 0};
}
inline engine_facts probe_plain(const device& where, int config) {
  return assume_plain(where.facts(), config);
}

/// The row of an executor that caches nothing.
template <class S, class T, class E>
stencil_kernel plain_kernel(bool cooperative, decltype(stencil_kernel::prepare) prepare) {
  return {shape_facts<S>(),      E::name,       precision_of<T>, backend::cpu, cooperative,
          plain_kernels().all(), &assume_plain, &probe_plain,    prepare};
}

template <class S, class T, class E>
stencil_kernel driven_kernel() {
  return plain_kernel<S, T, E>(false, &prepare_driven<S, T, E>);
}

}  // namespace dwell::cpu
