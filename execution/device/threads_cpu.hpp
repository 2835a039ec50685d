// SPDX-License-Identifier: MIT
// Threads that wait for each other: they run all together, or none does. And threads that are kept,
// of the process that there is.
#pragma once
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/fork_count.hpp"
#include "dwell/execution/device/waiting_cpu.hpp"

namespace dwell::cpu {

/// f(0) to f(count - 1), each on a thread of its own; ends when all have returned. Throws
/// device_error if the system does not start so many threads; then f has not been called. f must
/// not throw.
class thread_set {
 public:
  template <class F>
  thread_set(int count, F f) : waiting_(count) {
    try {
      threads_.reserve(static_cast<std::size_t>(count));
      for (int t = 0; t < count; ++t)
        threads_.emplace_back([this, t, f] {
          if (waiting_.until(go_, [](unsigned v) { return v != not_yet; }) == all) f(t);
        });
    } catch (const std::system_error& e) {
      const auto started = threads_.size();
      give_up();
      throw device_error("expected the system to start " + std::to_string(count) +
                         " threads, it started " + std::to_string(started) + ": " +
                         e.code().message());
    } catch (...) {
      give_up();
      throw;
    }
    waiting_.set(go_, all);
  }

 private:
  enum go : unsigned { not_yet, all, none };
  void give_up() {
    waiting_.set(go_, none);
    threads_.clear();
  }
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
