// SPDX-License-Identifier: MIT
// A counter that a handler of pthread_atfork() adds to.
#include "dwell/base/fork_count.hpp"

#include <pthread.h>

#include <atomic>
#include <new>

namespace dwell {
namespace {

std::atomic<unsigned> forks = 0;  // constant-initialised: there before any static object

void count_fork() { forks.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

unsigned fork_count() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, count_fork);
  if (registered != 0) throw std::bad_alloc();  // the one way in which it fails
  return forks.load(std::memory_order_relaxed);
}

}  // namespace dwell
