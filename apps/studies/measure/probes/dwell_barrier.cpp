// SPDX-License-Identifier: MIT
// The barrier of Dwell's CPU teams (execution/device/threads/waiting_cpu.hpp).
#include "studies/measure/probe.hpp"
#include "studies/measure/timed_threads.hpp"

namespace dwell::app {

namespace {

void measure_dwell_barrier(measuring& m) {
  for (const int threads : m.thread_counts()) {
    cpu_barrier barrier(threads, false);
    m.add({"sync", "dwell barrier", threads}, [&](double repetitions) {
      return time_of_threads(threads, [&](int) {
        for (double k = 0; k < repetitions; ++k) barrier.arrive_and_wait();
      });
    });
  }
}

}  // namespace

probe dwell_barrier_probe() {
  return {"sync", "dwell barrier", "the barrier of Dwell's CPU teams", backend::cpu,
          measure_dwell_barrier};
}

}  // namespace dwell::app
