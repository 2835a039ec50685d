// SPDX-License-Identifier: MIT
// How the CPU runs Programs: a crew of threads, one team each. Included by generated files only,
// which are built for AVX2 and FMA where the processor family has them.
#pragma once
#include "dwell/execution/core/crew.hpp"
#include "dwell/execution/core/run_teams_cpu.hpp"
#include "dwell/execution/core/scratch_cpu.hpp"
#include "dwell/execution/core/store.hpp"
#include "dwell/execution/core/team_cpu.hpp"
#include "dwell/execution/core/variant.hpp"
#include "dwell/execution/core/watch_cpu.hpp"

namespace dwell::cpu {

template <class E, int Rung>
struct shape_of {
  static constexpr rung value = E::cpu_rungs[Rung];
};

/// Scratch for so many teams.
template <class P, class T>
team_scratch scratch_for(const program_args<P, T>& a, int teams) {
  return {teams, kept_bytes<T>(a.keep, a.tiles.narrow != nullptr)};
}

/// One team's thread: makes the team and its store, and calls f(store).
template <class P, class T, class E, int Rung, class F>
void with_store(const program_args<P, T>& a, int worker, int workers, cpu_barrier* grid,
                const team_scratch& scratch, F&& f) {
  if constexpr (can_run<P>(E::cpu_rungs[Rung])) {
    using team_type = cpu_team<E::cpu_rungs[Rung].lanes>;
    using store_type = store<P, T, team_type, shape_of<E, Rung>>;
    team_type team(worker, workers, grid, a.reverse_lanes, scratch.of(worker), scratch.bytes(),
                   a.posts);
    store_type s(team, a);
    f(s);
  }
}

/// The queue of executors that launch phase by phase.
template <class P, class T, class E, int Rung>
class queue {
 public:
  queue(const program_args<P, T>& a, int teams, run_watch& watch)
      : a_(a), teams_(teams), watch_(watch), scratch_(scratch_for(a, teams)), crew_(teams) {
    a_.state[0] = a_.start;
  }

  template <int Phase>
  void launch(const program_args<P, T>&, int turn) {
    crew_.launch([&](int member) {
      with_store<P, T, E, Rung>(a_, member, teams_, nullptr, scratch_,
                                [&](auto& s) { E::template phase<Phase, P, T>(s, a_, turn); });
    });
    watch_.look();
  }
  void post(int mark) { marks_[mark] = a_.state[0]; }
  typename P::scalars outcome(int mark) const { return marks_[mark]; }
  void finish() {}

 private:
  const program_args<P, T>& a_;
  int teams_;
  run_watch& watch_;
  team_scratch scratch_;
  crew crew_;
  typename P::scalars marks_[2]{};
};

template <class P, class T, class E, int Rung>
double run_rung(const program_args<P, T>& a, const plan& how, const run_control& control) {
  run_watch watch(control, a.watch);
  watch.look();  // an interrupt may be there already
  const double begin = seconds_now();
  if constexpr (E::launches_phases) {
    queue<P, T, E, Rung> q(a, how.teams, watch);
    E::template drive<P, T>(q, a);
  } else {
    const team_scratch scratch = scratch_for(a, how.teams);
    run_teams(how.teams, watch, [&](int team, cpu_barrier& grid) {
      with_store<P, T, E, Rung>(a, team, how.teams, &grid, scratch,
                                [&](auto& s) { E::template run<P, T>(s, a); });
    });
  }
  const double seconds = seconds_now() - begin;
  watch.finish();
  return seconds;
}

template <class P, class T, class E>
double run(const void* args, const device&, const plan& how, const run_control& control) {
  const auto& a = *static_cast<const program_args<P, T>*>(args);
  return with_rung<std::size(E::cpu_rungs)>(
      how.rung, [&]<int R>() { return run_rung<P, T, E, R>(a, how, control); });
}

template <class P, class T, class E>
rung_facts probe(const device& where, int rung) {
  return {E::cpu_rungs[rung], 0, 0, where.threads(), 0};
}

template <class E>
rung_facts assume(const device_facts& facts, int rung) {
  return {E::cpu_rungs[rung], 0, 0, facts.units, 0};
}

template <class P, class T, class E>
program_variant variant_of() {
  return {P::name,      E::name,         precision_of<T>, backend::cpu, !E::launches_phases,
          E::cpu_rungs, &probe<P, T, E>, &assume<E>,      &run<P, T, E>};
}

}  // namespace dwell::cpu
