// SPDX-License-Identifier: MIT
// The time of what some threads do together.
#pragma once
#include <chrono>

#include "dwell/execution/device/threads/threads_cpu.hpp"
#include "dwell/execution/device/threads/waiting_cpu.hpp"

namespace dwell::app {

/// f(thread) on so many threads, the caller's being number 0. Returns seconds from when all have
/// met until all have ended. f must not throw. Throws device_error if the system does not start so
/// many.
template <class F>
double time_of_threads(int threads, const F& f) {
  cpu_barrier meet(threads, false);
  double seconds = 0;
  const auto one = [&](int thread) {
    meet.arrive_and_wait();
    const auto begin = std::chrono::steady_clock::now();
    f(thread);
    meet.arrive_and_wait();
    if (thread == 0)
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const cpu::thread_set others(threads - 1, [&](int t) { one(t + 1); });
  one(0);
  return seconds;
}

}  // namespace dwell::app
