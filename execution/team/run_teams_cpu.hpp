// SPDX-License-Identifier: MIT
// A CPU run of teams that live through it, each on a thread of its own, and meet.
//
// Who waits for whom: a team for all others at the barrier, or for its neighbours' flags; the
// caller for all teams. All waits of teams are those of the barrier's cpu_waiting. A team that
// throws gives that up before its thread ends; then every wait of another team ends by an exception
// as well, and a team that does not wait ends by itself or comes to its next wait. So all threads
// end, and the caller throws what the first of them threw.
//
// Or of teams that are alone: some threads take one after the other, and nobody waits but the
// caller.
#pragma once
#include <atomic>

#include "dwell/execution/device/threads/waiting_cpu.hpp"
#include "dwell/execution/device/watch_cpu.hpp"

namespace dwell::cpu {

/// f(team number, barrier of all teams) for each team, watched until all have ended.
template <class F>
void run_teams(int teams, run_watch& watch, F&& f) {
  cpu_barrier grid(teams);
  first_failure failed;
  run_watched(teams, watch, [&](int t) {
    if (!failed.guard([&] { f(t, grid); })) grid.waiting().give_up();
  });
  failed.rethrow();
}

/// f(thread number, team number) for each team, on the thread that takes it, watched until all have
/// ended. A thread of a call that throws takes no more.
template <class F>
void run_apart(int threads, int teams, run_watch& watch, F&& f) {
  std::atomic<int> next{0};
  first_failure failed;
  run_watched(threads, watch, [&](int thread) {
    failed.guard([&] {
      for (int team; (team = next.fetch_add(1, std::memory_order_relaxed)) < teams;)
        f(thread, team);
    });
  });
  failed.rethrow();
}

}  // namespace dwell::cpu
