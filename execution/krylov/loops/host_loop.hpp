// SPDX-License-Identifier: MIT
// The baseline: one launch per phase, the time loop on the host. The device decides when to stop;
// the host keeps a few iterations queued ahead and looks at the outcome of earlier ones, so that no
// round trip stands between two iterations. Phases queued after the end do nothing.
#pragma once
#include <algorithm>

#include "dwell/execution/krylov/configs.hpp"
#include "dwell/execution/krylov/program_args.hpp"

namespace dwell {

struct host_loop {
  static constexpr const char* name = "host-loop";
  static constexpr bool launches_phases = true;
  static constexpr const auto& cuda_configs = plain_cuda_configs;
  static constexpr const auto& cpu_configs = plain_cpu_configs;
  static constexpr bool records = false;  ///< nothing to set up before the clock starts

  /// Host side. times: how often an iteration runs each phase. A queue launches phases in order;
  /// record_outcome(i) marks a point, has_stopped(i) waits for that point and says whether the run
  /// has ended there. Two marks are in use in turn.
  template <class Queue, class Times>
  static void drive(Queue& queue, const Times& times) {
    // An even number of launches per round: the scalars are then back in the copy they began in.
    int iterations = 2, done = 0;
    for (int round = 0;; ++round) {
      for (int k = 0; k < iterations; ++k) enqueue_iteration(queue, times, k % 2);
      queue.record_outcome(round % 2);
      if (round > 0 && queue.has_stopped((round + 1) % 2)) break;
      done += iterations;
      iterations =
          std::clamp(done / 8 * 2, 2, 32);  // idle launches stay under a quarter of the run
    }
    queue.finish();
  }

  /// The phases of one iteration. A launch finds its scalars in the copy that the one before wrote:
  /// of an odd number of launches, in the other one in every second iteration (`odd`).
  template <class Queue, class Times>
  static void enqueue_iteration(Queue& queue, const Times& times, int odd) {
    const int phases = static_cast<int>(times.size());
    int launches = 0;
    for (int phase = 0; phase < phases; ++phase) launches += times[phase];
    int parity = odd * launches % 2;
    for (int phase = 0; phase < phases; ++phase)
      for (int k = 0; k < times[phase]; ++k, parity ^= 1) queue.launch(phase, parity, k);
  }

  /// Team side: one phase, for the `time`-th time in its iteration. All teams read copy `parity` of
  /// the scalars; team 0 writes the other one.
  template <int Phase, class P, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, const program_args<P, T>& a, int parity, int time) {
    typename P::scalars m = a.state[parity];
    if constexpr (runs_sequence<P, Phase>) s.take_sequence_phase(time);
    if (m.stop == 0) P::template phase<Phase, T>(s, m);
    if (s.team().worker() == 0)
      s.team().each([&](int lane) {
        if (lane == 0) a.state[parity ^ 1] = m;
      });
  }
};

}  // namespace dwell
