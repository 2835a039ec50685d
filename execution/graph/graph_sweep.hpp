// SPDX-License-Identifier: MIT
// The launches of host-loop, recorded once in a CUDA graph. A run to a tolerance repeats its body
// under a conditional node, so that the device decides whether another round follows; a fixed
// number of steps replays it. What does not fill a round goes by single launches, and so do rounds
// that would make too large a graph.
#pragma once
#include "dwell/execution/host_loop/host_loop_sweep.hpp"

namespace dwell {

struct graph_sweep {
  static constexpr const char* name = "graph";
  static constexpr int most_steps = 2048;  ///< that half a graph has: a launch each, and two a look

  template <class T, class Queue>
  static void drive(Queue& queue, const sweep_args<T>& a) {
    // From one look to the next, or to one test if looks are not at the same places between all.
    const bool by_looks = !a.until || a.check_every % a.look_every == 0;
    const int part = by_looks ? a.look_every : a.check_every;
    const int parts =
        part % 2 == 0 ? 1 : 2;  // then the copies of the field are back in their places
    const int rounds = part <= most_steps ? a.steps / (part * parts) : 0;
    const int round = rounds > 0 ? part * parts : 0;
    const auto body = [&] {
      for (int done = 0, look = 0; done < round; done = look) {
        look = by_looks ? done + part : a.next_look(done);
        host_loop_sweep::enqueue(queue, a, done, look - done);
      }
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
