// SPDX-License-Identifier: MIT
// What a caller may do with a run in progress: end it, and hear how it goes on.
#pragma once
#include <atomic>
#include <functional>

#include "dwell/execution/device/between_phases.hpp"

namespace dwell {

/// The host's hand on a run in progress.
struct run_control {
  const std::atomic<bool>* interrupt = nullptr;
  /// Called now and then from the calling thread; false ends the run as an interrupt does. An
  /// exception ends it too, and is rethrown.
  std::function<bool(int step, double residual)> progress;
  double progress_interval = 0.1;  ///< seconds
  /// Or null: the run's history, in the device's memory. Every entry is then told, in order, soon
  /// after the run has passed it.
  double* every = nullptr;
  /// Or null. Of a CPU, by executors that launch phases from the host.
  between_phases* between = nullptr;
};

}  // namespace dwell
