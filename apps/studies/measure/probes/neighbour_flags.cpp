// SPDX-License-Identifier: MIT
// Threads in a ring that wait for their two neighbours only: each raises its flag and waits for
// those beside it, as subdomains of a stencil do (execution/stencil/partition/neighbour_flags.hpp).
#include <vector>

#include "studies/measure/probe.hpp"
#include "studies/measure/timed_threads.hpp"

namespace dwell::app {

namespace {

struct alignas(64) flag {
  unsigned raised = 0;
};

void measure_neighbour_flags(measuring& m) {
  for (const int threads : m.thread_counts()) {
    if (threads == 1) continue;  // no neighbour
    std::vector<flag> flags(static_cast<std::size_t>(threads));
    cpu_waiting waiting(threads, false);
    unsigned begin = 0;
    m.add({"sync", "neighbour flags", threads}, [&](double repetitions) {
      const unsigned first = begin;
      const double seconds = time_of_threads(threads, [&](int thread) {
        const auto at = [&](int t) -> unsigned& {
          return flags[static_cast<std::size_t>((t + threads) % threads)].raised;
        };
        unsigned epoch = first;
        for (double k = 0; k < repetitions; ++k) {
          waiting.set(at(thread), ++epoch);
          // Epochs may wrap: a neighbour is at most one of them away.
          const auto there = [&](unsigned now) { return static_cast<int>(now - epoch) >= 0; };
          waiting.until(at(thread - 1), there);
          waiting.until(at(thread + 1), there);
        }
      });
      begin = flags.front().raised;
      return seconds;
    });
  }
}

}  // namespace

probe neighbour_flags_probe() {
  return {"sync", "neighbour flags", "flags between neighbours in a ring", backend::cpu,
          measure_neighbour_flags};
}

}  // namespace dwell::app
