// SPDX-License-Identifier: MIT
// How the CPU runs Programs: a crew of threads, one team each. Included by generated files only,
// which are built for AVX2 and FMA where the processor family has them.
#pragma once
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

#include "dwell/execution/core/crew.hpp"
#include "dwell/execution/core/store.hpp"
#include "dwell/execution/core/team_cpu.hpp"
#include "dwell/execution/core/variant.hpp"

namespace dwell::cpu {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Passes interrupts on and reports progress, from the calling thread. An exception thrown by the
/// caller's progress function ends the run; rethrow() lets it out once all teams have stopped.
class watcher {
 public:
  watcher(const run_control& control, monitor* watch)
      : control_(control), watch_(watch), next_(now() + control.progress_interval) {}

  void look() {
    using shared = cpu_team<8>;
    if (control_.interrupt && control_.interrupt->load()) shared::publish(&watch_->interrupt, 1);
    if (!control_.progress || failed_ || now() < next_) return;
    next_ = now() + control_.progress_interval;
    try {
      control_.progress(shared::observe(&watch_->step), shared::observe(&watch_->residual));
    } catch (...) {
      failed_ = std::current_exception();
      shared::publish(&watch_->interrupt, 1);
    }
  }
  void rethrow() const {
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  const run_control& control_;
  monitor* watch_;
  double next_;
  std::exception_ptr failed_;
};

template <class E, int Rung>
struct shape_of {
  static constexpr rung value = E::cpu_rungs[Rung];
};

/// One team's thread: makes the team and its store, and calls f(store).
template <class P, class T, class E, int Rung, class F>
void with_store(const program_args<P, T>& a, int worker, int workers, cpu_barrier* grid, F&& f) {
  using team_type = cpu_team<E::cpu_rungs[Rung].lanes>;
  using store_type = store<P, T, team_type, shape_of<E, Rung>>;
  const std::size_t bytes = kept_bytes<T>(a.keep, a.tiles.narrow != nullptr);
  const std::unique_ptr<std::byte[]> scratch(new std::byte[bytes + 16]);
  team_type team(worker, workers, grid, a.reverse_lanes, scratch.get(), bytes, a.posts);
  store_type s(team, a);
  f(s);
}

/// The queue of executors that launch phase by phase.
template <class P, class T, class E, int Rung>
class queue {
 public:
  queue(const program_args<P, T>& a, int teams, watcher& watch)
      : a_(a), teams_(teams), watch_(watch), crew_(teams) {
    a_.state[0] = a_.start;
  }

  template <int Phase>
  void launch(const program_args<P, T>&, int turn) {
    crew_.launch([&](int member) {
      with_store<P, T, E, Rung>(a_, member, teams_, nullptr,
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
  watcher& watch_;
  crew crew_;
  typename P::scalars marks_[2]{};
};

template <class P, class T, class E, int Rung>
double run_rung(const program_args<P, T>& a, const plan& how, const run_control& control) {
  watcher watch(control, a.watch);
  watch.look();  // an interrupt may be there already
  const double begin = now();
  if constexpr (E::launches_phases) {
    queue<P, T, E, Rung> q(a, how.teams, watch);
    E::template drive<P, T>(q, a);
  } else {
    cpu_barrier grid(how.teams);
    std::mutex guard;
    std::condition_variable ended;
    int running = how.teams;
    std::vector<std::jthread> threads;
    for (int t = 0; t < how.teams; ++t)
      threads.emplace_back([&, t] {
        with_store<P, T, E, Rung>(a, t, how.teams, &grid,
                                  [&](auto& s) { E::template run<P, T>(s, a); });
        const std::lock_guard lock(guard);
        if (--running == 0) ended.notify_one();
      });
    std::unique_lock lock(guard);
    while (!ended.wait_for(lock, std::chrono::milliseconds(5), [&] { return running == 0; })) {
      lock.unlock();
      watch.look();
      lock.lock();
    }
  }
  const double seconds = now() - begin;
  watch.rethrow();
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
