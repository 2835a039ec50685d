// SPDX-License-Identifier: MIT
// The host's side of a CUDA run in progress: waits for its end on one stream, and meanwhile passes
// interrupts on and fetches progress on another, so that the kernels never look outside the device.
#pragma once
#include "dwell/execution/core/cuda_check.hpp"
#include "dwell/execution/core/program.hpp"
#include "dwell/execution/core/progress_teller.hpp"
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
  /// To be called when the run has ended.
  void finish();

 private:
  template <class T>
  void fetch(T* to, const T* from, int n);
  void tell_every(bool ended);

  const run_control& control_;
  monitor* watch_;
  stream side_;
  progress_teller teller_;
  bool sent_ = false;
};

}  // namespace dwell::cuda
