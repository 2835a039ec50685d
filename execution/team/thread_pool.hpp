// SPDX-License-Identifier: MIT
// The threads of a CPU run. They live as long as the pool; launch() gives every member one call and
// returns when all are done, as a kernel launch followed by a synchronisation would. The caller is
// a member itself: no core idles meanwhile, and a pool of one needs no barrier. In a child after
// fork() the pool starts threads of its own at the first launch.
#pragma once
#include "dwell/execution/device/threads/threads_cpu.hpp"
#include "dwell/execution/device/threads/waiting_cpu.hpp"

namespace dwell {

class thread_pool {
 public:
  /// Throws device_error if the system does not start so many threads.
  explicit thread_pool(int members) : workers_(members) {}
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  /// f(member) on every member's own thread; the caller's is number 0. No member may wait for
  /// another. If any throw, one of the exceptions is thrown when all have returned.
  template <class F>
  void launch(const F& f) {
    workers_.here().launch(f);
  }

 private:
  class workers {
   public:
    explicit workers(int members)
        : barrier_(members, false), others_(members - 1, [this](int t) { serve(t + 1); }) {}
    ~workers() {
      task_ = nullptr;
      barrier_.arrive_and_wait();
    }

    template <class F>
    void launch(const F& f) {
      of_task_ = &f;
      task_ = [](const void* of_task, int member) { (*static_cast<const F*>(of_task))(member); };
      first_failure failed;
      failed_ = &failed;
      barrier_.arrive_and_wait();
      failed.guard([&] { f(0); });
      barrier_.arrive_and_wait();
      failed.rethrow();
    }

   private:
    void serve(int member) {
      for (;;) {
        barrier_.arrive_and_wait();
        if (!task_) return;
        failed_->guard([&] { task_(of_task_, member); });
        barrier_.arrive_and_wait();
      }
    }

    cpu_barrier barrier_;
    void (*task_)(const void* of_task, int member) = nullptr;
    const void* of_task_ = nullptr;
    first_failure* failed_ = nullptr;
    cpu::thread_set others_;
  };

  cpu::threads_of_process<workers> workers_;
};

}  // namespace dwell
