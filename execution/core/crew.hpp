// SPDX-License-Identifier: MIT
// The threads of a CPU run. They live as long as the crew; launch() gives every member one call and
// returns when all are done, as a kernel launch followed by a synchronisation would. The caller is
// a member itself: no core idles meanwhile, and a crew of one needs no meeting.
#pragma once
#include <functional>

#include "dwell/execution/core/threads_cpu.hpp"
#include "dwell/execution/core/waiting_cpu.hpp"

namespace dwell {

class crew {
 public:
  /// Throws device_error if the system does not start so many threads.
  explicit crew(int members)
      : meet_(members), others_(members - 1, [this](int t) { serve(t + 1); }) {}
  ~crew() {
    task_ = nullptr;
    meet_.arrive_and_wait();
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  /// f(member) on every member's own thread; the caller's is number 0. No member may wait for
  /// another. If any throw, one of the exceptions is thrown when all have returned.
  void launch(const std::function<void(int)>& f) {
    task_ = &f;
    first_failure failed;
    failed_ = &failed;
    meet_.arrive_and_wait();
    failed.guard([&] { f(0); });
    meet_.arrive_and_wait();
    failed.rethrow();
  }

 private:
  void serve(int member) {
    for (;;) {
      meet_.arrive_and_wait();
      if (!task_) return;
      failed_->guard([&] { (*task_)(member); });
      meet_.arrive_and_wait();
    }
  }

  cpu_barrier meet_;
  const std::function<void(int)>* task_ = nullptr;
  first_failure* failed_ = nullptr;
  cpu::thread_set others_;
};

}  // namespace dwell
