// SPDX-License-Identifier: MIT
// How the threads of a CPU run wait for each other: all waits are those of cpu_waiting. A thread
// polls again and again for a microsecond or two, then lets others have its core between two polls,
// then sleeps in the kernel. A wait ends within milliseconds once the run is given up, whatever
// becomes of the thread that it is for: so a thread that fails leaves nobody behind.
#pragma once
#include <atomic>
#include <exception>

#include "dwell/base/api.hpp"

namespace dwell {

/// What threads that wait for each other have in common.
class DWELL_API cpu_waiting {
 public:
  /// Thrown out of waits once the run is given up.
  struct given_up {};

  /// If there are more threads than CPUs for this process, they do not spin. If nobody ever gives
  /// up, threads may wait for hours, and sleep without waking up now and then.
  explicit cpu_waiting(int threads, bool may_be_given_up = true);

  /// The first value of `word` found for which ready(value).
  template <class Ready>
  unsigned until(unsigned& word, Ready&& ready) {
    for (int polls = 0;; ++polls) {
      const unsigned v = std::atomic_ref<unsigned>(word).load(std::memory_order_acquire);
      if (ready(v)) return v;
      if (over_.load(std::memory_order_acquire)) throw given_up{};
      pass_time(polls, word, v);
    }
  }
  /// Sets a word that others may wait for; with it they see what this thread has written before.
  void set(unsigned& word, unsigned value) {
    // In one order with pass_time(): either this call sees the sleeper, or the sleeper the value.
    std::atomic_ref<unsigned>(word).store(value, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) > 0) wake(word);
  }
  void give_up() { over_.store(true, std::memory_order_release); }

 private:
  void pass_time(int polls, unsigned& word, unsigned seen);
  static void wake(unsigned& word);

  alignas(64) std::atomic<bool> over_{false};
  int spins_;
  bool may_be_given_up_;
  alignas(64) std::atomic<int> sleepers_{0};
  alignas(64) std::atomic<int> crowded_{0};  ///< so many waits are going to yield to nobody
};

/// Where all teams meet.
class cpu_barrier {
 public:
  explicit cpu_barrier(int parties, bool may_be_given_up = true)
      : parties_(static_cast<unsigned>(parties)), waiting_(parties, may_be_given_up) {}

  /// Throws cpu_waiting::given_up if not all will come.
  void arrive_and_wait() {
    if (parties_ == 1) return;
    const unsigned phase = std::atomic_ref<unsigned>(phase_).load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == parties_) {
      arrived_.store(0, std::memory_order_relaxed);
      waiting_.set(phase_, phase + 1);
    } else {
      waiting_.until(phase_, [&](unsigned now) { return now != phase; });
    }
  }
  /// For what the same teams wait for elsewhere.
  cpu_waiting& waiting() { return waiting_; }

 private:
  alignas(64) std::atomic<unsigned> arrived_{0};
  alignas(64) unsigned phase_ = 0;
  unsigned parties_;
  cpu_waiting waiting_;
};

/// The first exception of several threads, for the one that has started them.
class first_failure {
 public:
  /// Calls f; false if it has thrown. That a run is given up is nobody's own failure.
  template <class F>
  bool guard(F&& f) noexcept {
    try {
      f();
      return true;
    } catch (const cpu_waiting::given_up&) {
    } catch (...) {
      if (!taken_.exchange(true)) failure_ = std::current_exception();
    }
    return false;
  }
  /// To be called when all have ended.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::atomic<bool> taken_{false};
  std::exception_ptr failure_;
};

}  // namespace dwell
