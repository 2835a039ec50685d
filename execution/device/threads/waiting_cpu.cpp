// SPDX-License-Identifier: MIT
// The C++ library's own atomic wait is no use here: it yields before it sleeps, and on a core that
// others want each of these yields takes a slice of theirs, milliseconds.
#include "dwell/execution/device/threads/waiting_cpu.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <thread>

#include "dwell/base/parallel.hpp"

namespace dwell {
namespace {

constexpr int most_spins = 64;    // one to two microseconds
constexpr int most_yields = 100;  // some 30 microseconds where nobody else wants the core
/// A yield that took longer has given the core to somebody else. For so many waits threads then
/// sleep at once: a thread that has slept gets its core back soon, one that has yielded does not.
constexpr auto long_yield = std::chrono::microseconds(50);
constexpr int waits_without_yields = 4096;
/// After so long a sleeper polls whether the run is given up.
constexpr long most_sleep_ns = 10'000'000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

cpu_waiting::cpu_waiting(int threads, bool may_be_given_up)
    : spins_(threads <= default_threads() ? most_spins : 0), may_be_given_up_(may_be_given_up) {}

void cpu_waiting::pass_time(int polls, unsigned& word, unsigned seen) {
  if (polls < spins_) return pause();
  const int crowded = crowded_.load(std::memory_order_relaxed);
  if (crowded == 0 && polls < spins_ + most_yields) {
    const auto before = std::chrono::steady_clock::now();
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() - before > long_yield)
      crowded_.store(waits_without_yields, std::memory_order_relaxed);
    return;
  }
  if (crowded > 0 && polls == spins_) crowded_.store(crowded - 1, std::memory_order_relaxed);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  if (std::atomic_ref<unsigned>(word).load(std::memory_order_seq_cst) == seen) {
    const timespec most{0, most_sleep_ns};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, may_be_given_up_ ? &most : nullptr, nullptr,
            0);
  }
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

void cpu_waiting::wake(unsigned& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace dwell
