// SPDX-License-Identifier: MIT
// The threads of CPU teams that meet, kept from one run to the next: they start once and sleep
// between two runs. Within a run, who waits for whom is as in run_teams_cpu.hpp: a team that throws
// gives up the waits of all, so that every team ends, and the caller throws what the first of them
// threw; the next run has a barrier of its own. In a child after fork() the first run starts
// threads anew.
#pragma once
#include <condition_variable>
#include <mutex>

#include "dwell/execution/device/threads/threads_cpu.hpp"
#include "dwell/execution/device/threads/waiting_cpu.hpp"
#include "dwell/execution/device/watch_cpu.hpp"

namespace dwell::cpu {

class team_threads {
 public:
  /// Throws device_error if the system does not start so many threads.
  explicit team_threads(int teams) : workers_(teams) {}
  team_threads(const team_threads&) = delete;
  team_threads& operator=(const team_threads&) = delete;

  /// f(team number, barrier of all teams) for each team, watched until all have ended.
  template <class F>
  void run(run_watch& watch, F&& f) {
    workers_.here().run(watch, f);
  }

 private:
  class workers {
   public:
    explicit workers(int teams)
        : teams_(teams), idle_(teams, false), threads_(teams, [this](int t) { serve(t); }) {}
    ~workers() {
      run_ = nullptr;
      idle_.set(round_, round_ + 1);
    }

    template <class F>
    void run(run_watch& watch, F&& f) {
      cpu_barrier grid(teams_);
      first_failure failed;
      const auto one = [&](int t) {
        if (!failed.guard([&] { f(t, grid); })) grid.waiting().give_up();
      };
      of_run_ = &one;
      run_ = [](const void* of_run, int t) { (*static_cast<const decltype(one)*>(of_run))(t); };
      running_ = teams_;
      idle_.set(round_, round_ + 1);
      std::unique_lock lock(guard_);
      while (!ended_.wait_for(lock, watch.pause(), [&] { return running_ == 0; })) {
        lock.unlock();
        failed.guard([&] { watch.poll(); });
        lock.lock();
      }
      failed.rethrow();
    }

   private:
    void serve(int team) {
      for (unsigned seen = 0;;) {
        seen = idle_.until(round_, [&](unsigned now) { return now != seen; });
        if (!run_) return;
        run_(of_run_, team);
        const std::lock_guard lock(guard_);
        if (--running_ == 0) ended_.notify_one();
      }
    }

    int teams_;
    // Members of the present run; written before the round begins that they are for.
    void (*run_)(const void* of_run, int team) = nullptr;
    const void* of_run_ = nullptr;
    int running_ = 0;
    unsigned round_ = 0;  ///< threads wait for the next one
    cpu_waiting idle_;
    std::mutex guard_;
    std::condition_variable ended_;
    thread_set threads_;
  };

  threads_of_process<workers> workers_;
};

}  // namespace dwell::cpu
