// SPDX-License-Identifier: MIT
// A launch of nothing on the threads of a pool that lives on: what a phase costs where phases are
// launches.
#include <chrono>

#include "studies/measure/probe.hpp"

#include "dwell/execution/team/thread_pool.hpp"

namespace dwell::app {

namespace {

void measure_launch(measuring& m) {
  for (const int threads : m.thread_counts()) {
    thread_pool pool(threads);
    m.add({"sync", "launch", threads}, [&](double repetitions) {
      const auto begin = std::chrono::steady_clock::now();
      for (double k = 0; k < repetitions; ++k) pool.launch([](int) {});
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
  }
}

}  // namespace

probe launch_probe() {
  return {"sync", "launch", "a launch of nothing on a pool of threads", backend::cpu,
          measure_launch};
}

}  // namespace dwell::app
