// SPDX-License-Identifier: MIT
// Calls the caller's progress function: when it is due, and with what has not been told yet. It may
// end the run by what it returns or throws. The watches of both backends share this.
#pragma once
#include <chrono>
#include <exception>

#include "dwell/execution/device/run_control.hpp"

namespace dwell {

class progress_publisher {
 public:
  explicit progress_publisher(const run_control& control)
      : control_(control), due_(clock::now() + interval()) {}

  /// To be asked before anything is read from the device.
  bool due() {
    if (!control_.progress || stopped_) return false;
    if (control_.every) return true;
    const auto now = clock::now();
    if (now < due_) return false;
    due_ = now + interval();
    return true;
  }
  /// Where every step is told: the next one.
  int next() const { return next_; }
  /// Nothing is told of a run that has not told of itself yet (program_run says so by -1).
  void publish(int step, double residual) {
    if (stopped_ || step < 0 || residual < 0) return;
    next_ = step + 1;
    try {
      stopped_ = !control_.progress(step, residual);
    } catch (...) {
      failed_ = std::current_exception();
      stopped_ = true;
    }
  }
  /// The caller wants an end.
  bool stopped() const { return stopped_; }
  void rethrow() const {
    if (failed_) std::rethrow_exception(failed_);
  }

 private:
  using clock = std::chrono::steady_clock;
  clock::duration interval() const {
    constexpr double day = 86400;  // longer ones need not fit a clock
    return std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(
        control_.progress_interval < day ? control_.progress_interval : day));
  }

  const run_control& control_;
  clock::time_point due_;
  int next_ = 0;
  bool stopped_ = false;
  std::exception_ptr failed_;
};

}  // namespace dwell
