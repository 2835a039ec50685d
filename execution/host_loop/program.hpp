// SPDX-License-Identifier: MIT
// The baseline: one launch per phase, the time loop on the host. The device decides when to stop;
// the host keeps a few iterations queued ahead and looks at the outcome of earlier ones, so that no
// round trip stands between two iterations. Phases queued after the end do nothing.
#pragma once
#include <algorithm>
#include <utility>

#include "dwell/execution/program/configs.hpp"
#include "dwell/execution/program/program.hpp"

namespace dwell {

struct host_loop {
  static constexpr const char* name = "host-loop";
  static constexpr bool launches_phases = true;
  static constexpr const auto& cuda_configs = plain_cuda_configs;
  static constexpr const auto& cpu_configs = plain_cpu_configs;
  static constexpr bool records = false;  ///< nothing to set up before the clock starts

  /// Host side. A queue launches phases in order; record_outcome(i) marks a point, outcome(i) waits
  /// for that point and returns the scalars there. Two marks are in use in turn.
  template <class P, class T, class Queue>
  static void drive(Queue& queue, const program_args<P, T>& a) {
    // An even number of launches per round: the scalars are then back in the copy they began in.
    int iterations = 2, done = 0;
    for (int round = 0;; ++round) {
      for (int k = 0; k < iterations; ++k) enqueue_iteration<P, T>(queue, a, k % 2);
      queue.record_outcome(round % 2);
      if (round > 0 && queue.outcome((round + 1) % 2).stop != 0) break;
      done += iterations;
      iterations =
          std::clamp(done / 8 * 2, 2, 32);  // idle launches stay under a quarter of the run
    }
    queue.finish();
  }

  /// The phases of one iteration. Phase k of an odd number of phases finds its scalars in the other
  /// copy in every second iteration (`odd`).
  template <class P, class T, class Queue>
  static void enqueue_iteration(Queue& queue, const program_args<P, T>& a, int odd) {
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (queue.template launch<K>(a, (K + odd * P::phases) % 2), ...);
    }
    (std::make_integer_sequence<int, P::phases>{});
  }

  /// Team side: one phase. All teams read copy `parity` of the scalars; team 0 writes the other
  /// one.
  template <int Phase, class P, class T, class Store>
  DWELL_FN static void phase(Store& s, const program_args<P, T>& a, int parity) {
    typename P::scalars m = a.state[parity];
    if (m.stop == 0) P::template phase<Phase, T>(s, m);
    if (s.team().worker() == 0)
      s.team().each([&](int lane) {
        if (lane == 0) a.state[parity ^ 1] = m;
      });
  }
};

}  // namespace dwell
