// SPDX-License-Identifier: MIT
// std::barrier of C++20.
#include <barrier>

#include "studies/measure/probe.hpp"
#include "studies/measure/timed_threads.hpp"

namespace dwell::app {

namespace {

void measure_std_barrier(measuring& m) {
  for (const int threads : m.thread_counts()) {
    std::barrier barrier(threads);
    m.add({"sync", "std::barrier", threads}, [&](double repetitions) {
      return time_of_threads(threads, [&](int) {
        for (double k = 0; k < repetitions; ++k) barrier.arrive_and_wait();
      });
    });
  }
}

}  // namespace

probe std_barrier_probe() {
  return {"sync", "std::barrier", "the barrier of the C++ library", backend::cpu,
          measure_std_barrier};
}

}  // namespace dwell::app
