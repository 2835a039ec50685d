// SPDX-License-Identifier: MIT
// The host's side of a CPU run in progress: passes interrupts on and reports progress, from the
// calling thread.
#pragma once
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "dwell/execution/core/team_cpu.hpp"
#include "dwell/execution/core/threads_cpu.hpp"
#include "dwell/execution/core/variant.hpp"

namespace dwell::cpu {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// An exception thrown by the caller's progress function ends the run; rethrow() lets it out once
/// all teams have stopped.
class run_watch {
 public:
  run_watch(const run_control& control, monitor* watch)
      : control_(control), watch_(watch), next_(seconds_now() + control.progress_interval) {}

  void look() {
    using shared = cpu_team<8>;
    if (control_.interrupt && control_.interrupt->load()) shared::publish(&watch_->interrupt, 1);
    if (!control_.progress || failed_ || seconds_now() < next_) return;
    next_ = seconds_now() + control_.progress_interval;
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

/// f(team number) on a thread of its own for each team, watched until all have ended. Throws
/// device_error, f not called, if the system does not start so many threads.
template <class F>
void run_watched(int teams, run_watch& watch, F&& f) {
  std::mutex guard;
  std::condition_variable ended;
  int running = teams;
  const thread_set threads(teams, [&](int t) {
    f(t);
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

}  // namespace dwell::cpu
