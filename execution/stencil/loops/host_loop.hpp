// SPDX-License-Identifier: MIT
// The baseline: one launch per step, the time loop on the host, which stays a little ahead of the
// device and looks at the outcome of earlier launches. Where the device may decide to end the run,
// steps queued after the end do nothing.
#pragma once
#include <algorithm>

#include "dwell/execution/stencil/args.hpp"

namespace dwell {

struct host_loop_stencil {
  static constexpr const char* name = "host-loop";

  template <class T, class Queue>
  static void drive(Queue& queue, const stencil_args<T>& a) {
    queue.begin();
    continue_from(queue, a, 0);
  }

  /// `steps` steps, then a poll: launches as stencil_args::launches() counts them.
  template <class T, class Queue>
  static void enqueue(Queue& queue, const stencil_args<T>& a, int steps) {
    const int depth = a.plan.depth, alone = a.until && depth > 1 ? 1 : 0;
    for (int left = steps - alone; left > 0; left -= depth) queue.step(std::min(depth, left));
    if (alone > 0) queue.step(1);
    if (a.until) queue.compare(steps);
    queue.poll(steps);
  }

  template <class T, class Queue>
  static void continue_from(Queue& queue, const stencil_args<T>& a, int done) {
    int marks = 0, since_mark = 0;
    while (done < a.steps) {
      const int n = a.next_poll(done) - done;
      enqueue(queue, a, n);
      done += n;
      since_mark += n;
      if (since_mark < a.mark_every) continue;
      since_mark = 0;
      queue.record_outcome(marks % 2);
      if (marks > 0 && queue.outcome((marks + 1) % 2).stop != stencil_status::running) break;
      ++marks;
    }
    queue.finish();
  }
};

}  // namespace dwell
