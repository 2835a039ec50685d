// SPDX-License-Identifier: MIT
// Threads that wait for each other: they run all together, or none does.
#pragma once
#include <atomic>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "dwell/formats/error.hpp"

namespace dwell::cpu {

/// f(0) to f(count - 1), each on a thread of its own; ends when all have returned. Throws
/// device_error if the system does not start so many threads; then f has not been called.
class thread_set {
 public:
  template <class F>
  thread_set(int count, F f) {
    try {
      for (int t = 0; t < count; ++t)
        threads_.emplace_back([this, t, f] {
          go_.wait(go::not_yet);
          if (go_ == go::all) f(t);
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
    decide(go::all);
  }

 private:
  enum class go { not_yet, all, none };
  void decide(go what) {
    go_ = what;
    go_.notify_all();
  }
  void give_up() {
    decide(go::none);
    threads_.clear();
  }
  std::atomic<go> go_{go::not_yet};
  std::vector<std::jthread> threads_;
};

}  // namespace dwell::cpu
