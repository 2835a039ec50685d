// SPDX-License-Identifier: MIT
// The launches of host-loop, recorded once in a CUDA graph. A run to a tolerance repeats its body
// under a conditional node, so that the device decides whether another round follows; a fixed
// number of steps replays it. Steps that do not fill a round go by single launches, and so do
// rounds that would make too large a graph.
#pragma once
#include <algorithm>

#include "dwell/execution/stencil/loops/host_loop.hpp"

namespace dwell {

struct graph_stencil {
  static constexpr const char* name = "graph";
  static constexpr bool records = true;    ///< runs without a poll, too, if they repeat
  static constexpr int most_steps = 2048;  ///< that half a graph has: a launch each, and two a poll

  template <class T, class Queue>
  static void drive(Queue& queue, const stencil_args<T>& a) {
    // From one poll to the next, or to one test if polls are not at the same places between all.
    const bool by_polls = !a.until || a.check_every % a.poll_every == 0;
    const int part = by_polls ? a.poll_every : a.check_every;
    const int round = part <= std::min(most_steps, a.steps) ? steps_of_round(a, part, by_polls) : 0;
    const int rounds = round > 0 ? a.steps / round : 0;
    const auto body = [&] {
      for (int done = 0, poll = 0; done < round; done = poll) {
        poll = by_polls ? done + part : a.next_poll(done);
        host_loop_stencil::enqueue(queue, a, poll - done);
      }
    };
    stencil_state now;
    if (rounds > 0)
      now = a.until ? queue.repeat_while_running(round, body) : queue.replay(rounds, body);
    else
      queue.begin();
    if (now.stop == stencil_status::running) host_loop_stencil::continue_from(queue, a, now.done);
  }

 private:
  /// Steps of what repeats: one part or two, so that the copies of the field are back in their
  /// places.
  template <class T>
  static int steps_of_round(const stencil_args<T>& a, int part, bool by_polls) {
    int launches = 0;
    for (int done = 0, poll = 0; done < part; done = poll) {
      poll = by_polls ? part : a.next_poll(done);
      launches += a.launches(poll - done);
    }
    return launches % 2 == 0 ? part : 2 * part;
  }
};

}  // namespace dwell
