// SPDX-License-Identifier: MIT
// The launches of host-loop, recorded once in a CUDA graph whose body repeats under a conditional
// node: the device decides whether another round follows, and the host waits for the end only.
#pragma once
#include "dwell/execution/krylov/loops/host_loop.hpp"

namespace dwell {

struct graph {
  using launched = host_loop;  ///< whose kernels it records
  static constexpr const char* name = "graph";
  static constexpr bool launches_phases = true;
  static constexpr const auto& cuda_configs = plain_cuda_configs;
  static constexpr const auto& cpu_configs = plain_cpu_configs;
  static constexpr bool records = true;  ///< the clock starts once the graph is ready
  /// Iterations per round of the conditional node; even, so that the scalars return to the copy
  /// they began in. A round costs the device a few microseconds, an idle iteration little over one.
  static constexpr int iterations_per_round = 8;

  template <class Queue, class Times>
  static void drive(Queue& queue, const Times& times) {
    queue.repeat_while_running([&] {
      for (int k = 0; k < iterations_per_round; ++k)
        host_loop::enqueue_iteration(queue, times, k % 2);
    });
    queue.finish();
  }

  template <int Phase, class P, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, const program_args<P, T>& a, int parity, int time) {
    host_loop::phase<Phase, P, T>(s, a, parity, time);
  }
};

}  // namespace dwell
