// SPDX-License-Identifier: MIT
// Threads that wait for each other: they run all together, or none does. And threads that are kept,
// of the process that there is.
#pragma once
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/base/fork_count.hpp"
#include "dwell/execution/device/threads/waiting_cpu.hpp"

namespace dwell::cpu {

/// f(0) to f(count - 1), each on a thread of its own; ends when all have returned. Throws
/// device_error if the system does not start so many threads; then f has not been called. f must
/// not throw.
class DWELL_API thread_set {
 public:
  thread_set(int count, std::function<void(int)> f);

 private:
  enum go : unsigned { not_yet, all, none };
  void give_up();
  cpu_waiting waiting_;
  unsigned go_ = not_yet;
  std::vector<std::jthread> threads_;
};

/// Workers(count), which have threads: made anew in a child after fork(), where the threads of the
/// one before are not. Those stay in the child's memory as they are: their destructor would wait
/// for threads that never come.
template <class Workers>
class threads_of_process {
 public:
  explicit threads_of_process(int count)
      : count_(count), forks_(fork_count()), workers_(std::make_unique<Workers>(count)) {}
  ~threads_of_process() {
    if (forks_ != fork_count()) static_cast<void>(workers_.release());
  }

  Workers& here() {
    if (const unsigned now = fork_count(); forks_ != now) {
      auto made = std::make_unique<Workers>(count_);
      static_cast<void>(workers_.release());
      workers_ = std::move(made);
      forks_ = now;
    }
    return *workers_;
  }

 private:
  int count_;
  unsigned forks_;
  std::unique_ptr<Workers> workers_;
};

}  // namespace dwell::cpu
