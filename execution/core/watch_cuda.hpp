// SPDX-License-Identifier: MIT
// The host's side of a CUDA run in progress: waits for its end on one stream, and meanwhile passes
// interrupts on and fetches progress on another, so that the kernels never look outside the device.
#pragma once
#include "dwell/execution/core/cuda_check.hpp"
#include "dwell/execution/core/program.hpp"
#include "dwell/execution/core/variant.hpp"

namespace dwell::cuda {

class watcher {
 public:
  watcher(const run_control& control, monitor* watch);
  /// Returns when `end` has happened; throws what the progress function threw, or the device's
  /// error.
  void wait_for(cudaEvent_t end);
  /// One look, without waiting.
  void look();

 private:
  const run_control& control_;
  monitor* watch_;
  stream side_;
  double next_;
  bool sent_ = false;
  std::exception_ptr failed_;
};

}  // namespace dwell::cuda
