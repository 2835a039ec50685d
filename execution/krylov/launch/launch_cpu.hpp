// SPDX-License-Identifier: MIT
// How the CPU runs Programs: a pool of threads, one team each. Included by generated files only,
// which are built for AVX2 and FMA where the processor family has them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "dwell/execution/device/scratch_cpu.hpp"
#include "dwell/execution/device/watch_cpu.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/launch/launched_program.hpp"
#include "dwell/execution/krylov/vectors/workspace.hpp"
#include "dwell/execution/team/alone_team_cpu.hpp"
#include "dwell/execution/team/column_team_cpu.hpp"
#include "dwell/execution/team/run_teams_cpu.hpp"
#include "dwell/execution/team/team_cpu.hpp"
#include "dwell/execution/team/thread_pool.hpp"

namespace dwell {

template <int Lanes>
inline constexpr bool asks_judge<cpu_team<Lanes>> = true;

}  // namespace dwell

namespace dwell::cpu {

/// The type of a workspace by the values of a config, not by its executor: executors with equal
/// configs share the code of phases.
template <program_config Value>
struct shape {
  static constexpr program_config value = Value;
};

template <class P, int Lanes>
using team_of = std::conditional_t<column_count<P> == 1, cpu_team<Lanes>,
                                   cpu_column_team<Lanes, column_count<P>>>;

/// Scratch for so many teams.
template <class P, class T>
team_scratch scratch_for(const program_args<P, T>& a, int teams) {
  return {teams, cached_bytes<T>(a.cache, a.tiles.narrow != nullptr)};
}

/// A team that is alone: makes it and its workspace on its thread's scratch, and calls
/// f(workspace).
template <class P, class T, class E, int Config, class F>
void with_workspace_alone(const program_args<P, T>& a, int part, std::byte* scratch,
                          std::size_t bytes, F&& f) {
  if constexpr (can_run<P>(E::cpu_configs[Config])) {
    using team_type = cpu_alone_team<E::cpu_configs[Config].lanes>;
    using workspace_type = workspace<P, T, team_type, shape<E::cpu_configs[Config]>>;
    team_type team(part, a.reverse_lanes, scratch, bytes,
                   a.partials + static_cast<std::ptrdiff_t>(part) * partial_slots);
    workspace_type s(team, a);
    f(s);
  }
}

/// One team's thread: makes the team and its workspace, and calls f(workspace).
template <class P, class T, class E, int Config, class F>
void with_workspace(const program_args<P, T>& a, int worker, int workers, cpu_barrier* grid,
                    const team_scratch& scratch, F&& f) {
  if constexpr (can_run<P>(E::cpu_configs[Config])) {
    using team_type = team_of<P, E::cpu_configs[Config].lanes>;
    using workspace_type = workspace<P, T, team_type, shape<E::cpu_configs[Config]>>;
    team_type team(worker, workers, grid, a.reverse_lanes, scratch.of(worker), scratch.bytes(),
                   a.partials, a.rank_sums, a.ranks);
    workspace_type s(team, a);
    f(s);
  }
}

/// The queue of executors that launch phase by phase.
template <class P, class T, class E, int Config>
class queue {
 public:
  queue(const program_args<P, T>& a, int teams, const team_scratch& scratch, thread_pool& pool,
        run_watch& watch, between_phases* between)
      : a_(a), teams_(teams), watch_(watch), scratch_(scratch), pool_(pool), between_(between) {}

  void launch(int phase, int parity, int time) {
    with_config<P::phases>(phase, [&]<int Phase>() { launch<Phase>(parity, time); });
  }
  void record_outcome(int mark) { stopped_[mark] = a_.state[0].stop != 0; }
  bool has_stopped(int mark) const { return stopped_[mark]; }
  void finish() {}

 private:
  template <int Phase>
  void launch(int parity, int time) {
    bool sums = false, elements = false;  // what one team has of them, all have
    pool_.launch([&](int member) {
      with_workspace<P, T, E, Config>(a_, member, teams_, nullptr, scratch_, [&](auto& s) {
        E::template phase<Phase, P, T>(s, a_, parity, time);
        if (member == 0) sums = s.has_given_sums(), elements = s.has_written_elements();
      });
    });
    if (between_) {
      constexpr output left = output_of<P, Phase>;
      if ((sums && !has_sums(left)) || (elements && !has_elements(left)))
        throw std::logic_error(std::string(P::name) + ": phase " + std::to_string(Phase) +
                               " leaves more than outputs says");
      between_->phase_ended(sums, elements);
    }
    watch_.poll();
  }

  const program_args<P, T>& a_;
  int teams_;
  run_watch& watch_;
  const team_scratch& scratch_;
  thread_pool& pool_;
  between_phases* between_;
  bool stopped_[2]{};
};

/// Keeps the teams' scratch, and the threads of executors that launch phase by phase. Teams that
/// are alone are dealt to `threads` threads, each of which has scratch; else each has its own.
template <class P, class T, class E, int Config>
class launch final : public program_launch {
 public:
  launch(const program_args<P, T>& a, int teams, int threads)
      : a_(a),
        teams_(teams),
        threads_(alone_of<E> ? std::min(threads, teams) : teams),
        scratch_(scratch_for(a, threads_)) {
    if constexpr (E::launches_phases) pool_.emplace(teams);
  }
  void start(const run_control& control) override { control_ = &control; }
  double finish() override {
    run_watch watch(*control_, a_.watch);
    watch.poll();  // an interrupt may be there already
    const double begin = seconds_now();
    if constexpr (E::launches_phases) {
      queue<P, T, E, Config> q(a_, teams_, scratch_, *pool_, watch, control_->between);
      E::drive(q, times_of_phases(a_));
    } else if constexpr (alone_of<E>) {
      run_apart(threads_, teams_, watch, [&](int thread, int team) {
        with_workspace_alone<P, T, E, Config>(a_, team, scratch_.of(thread), scratch_.bytes(),
                                              [&](auto& s) { E::template run<P, T>(s, a_); });
      });
    } else {
      run_teams(teams_, watch, [&](int team, cpu_barrier& grid) {
        with_workspace<P, T, E, Config>(a_, team, teams_, &grid, scratch_,
                                        [&](auto& s) { E::template run<P, T>(s, a_); });
      });
    }
    const double seconds = seconds_now() - begin;
    watch.finish();
    return seconds;
  }

 private:
  const program_args<P, T>& a_;
  int teams_, threads_;
  team_scratch scratch_;
  std::optional<thread_pool> pool_;
  const run_control* control_ = nullptr;
};

template <class P, class T, class E>
std::unique_ptr<program_launch> prepare(const void* args, const device& where, const plan& how) {
  const auto& a = *static_cast<const program_args<P, T>*>(args);
  return with_config<std::size(E::cpu_configs)>(
      how.config, [&]<int R>() -> std::unique_ptr<program_launch> {
        return std::make_unique<launch<P, T, E, R>>(a, how.teams, where.threads());
      });
}

template <class P, class T, class E>
config_facts probe(const device& where, int config) {
  return {E::cpu_configs[config], 0, 0, where.threads(), 0};
}

template <class E>
config_facts assume(const device_facts& facts, int config) {
  return {E::cpu_configs[config], 0, 0, facts.units, 0};
}

template <class P, class T, class E>
program_kernel kernel_of() {
  constexpr bool cooperative = !E::launches_phases && !alone_of<E>;
  return {P::name,        E::name,         precision_of<T>, backend::cpu,      cooperative,
          E::cpu_configs, &probe<P, T, E>, &assume<E>,      &prepare<P, T, E>, alone_of<E>};
}

}  // namespace dwell::cpu
