// SPDX-License-Identifier: MIT
// The launches of host-loop, recorded once in a CUDA graph. A run to a tolerance repeats its body
// under a conditional node, so that the device decides whether another round follows; a fixed
// number of steps replays it. What does not fill a round goes by single launches.
#pragma once
#include "dwell/execution/host_loop/host_loop_sweep.hpp"

namespace dwell {

struct graph_sweep {
  static constexpr const char* name = "graph";

  template <class T, class Queue>
  static void drive(Queue& queue, const sweep_args<T>& a) {
    const int looks = a.look_every % 2 == 0 ? 1 : 2;  // an even number of steps: the copies of
    const int round = a.look_every * looks;           // the field are back in their places
    const int rounds = a.steps / round;
    const auto body = [&] {
      for (int k = 0; k < looks; ++k)
        host_loop_sweep::enqueue(queue, a, k * a.look_every, a.look_every);
    };
    sweep_state now;
    if (rounds > 0)
      now = a.until ? queue.repeat_while_running(round, body) : queue.replay(rounds, body);
    else
      queue.begin();
    if (now.stop == sweep_stop::running) host_loop_sweep::continue_from(queue, a, now.done);
  }
};

}  // namespace dwell
