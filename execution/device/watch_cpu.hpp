// SPDX-License-Identifier: MIT
// The host's side of a CPU run in progress: passes interrupts on and reports progress, from the
// calling thread.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "dwell/execution/device/monitor.hpp"
#include "dwell/execution/device/progress_publisher.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/execution/device/threads/threads_cpu.hpp"

namespace dwell::cpu {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What the caller's progress function throws ends the run; finish() lets it out once all teams
/// have stopped.
class run_watch {
 public:
  run_watch(const run_control& control, monitor* watch)
      : control_(control), watch_(watch), publisher_(control) {}

  void poll() {
    if (control_.interrupt && control_.interrupt->load()) end_run();
    if (!publisher_.due()) return;
    if (control_.every)
      publish_every();
    else
      publisher_.publish(observe(&watch_->step), observe(&watch_->residual));
    if (publisher_.stopped()) end_run();
  }
  /// How long to wait from one poll to the next.
  std::chrono::milliseconds pause() const {
    return std::chrono::milliseconds(control_.every ? 1 : 5);
  }
  /// To be called when all teams have stopped.
  void finish() {
    if (publisher_.due() && control_.every) publish_every();
    publisher_.rethrow();
  }

 private:
  /// What was written before a word was published is there for who observes the word.
  template <class V>
  static V observe(V* p) {
    return std::atomic_ref<V>(*p).load(std::memory_order_acquire);
  }
  void end_run() { std::atomic_ref(watch_->interrupt).store(1, std::memory_order_release); }
  void publish_every() {
    const int last = observe(&watch_->step);
    for (int step = publisher_.next(); step <= last && !publisher_.stopped(); ++step)
      publisher_.publish(step, observe(control_.every + step));
  }

  const run_control& control_;
  monitor* watch_;
  progress_publisher publisher_;
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
  while (!ended.wait_for(lock, watch.pause(), [&] { return running == 0; })) {
    lock.unlock();
    watch.poll();
    lock.lock();
  }
}

}  // namespace dwell::cpu
