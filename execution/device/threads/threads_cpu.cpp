// SPDX-License-Identifier: MIT
// Starts all threads before any of them begins, and gives up together.
#include "dwell/execution/device/threads/threads_cpu.hpp"

#include <string>
#include <system_error>
#include <utility>

#include "dwell/base/error.hpp"

namespace dwell::cpu {

thread_set::thread_set(int count, std::function<void(int)> f) : waiting_(count) {
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

void thread_set::give_up() {
  waiting_.set(go_, none);
  threads_.clear();
}

}  // namespace dwell::cpu
