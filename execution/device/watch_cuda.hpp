// SPDX-License-Identifier: MIT
// The host's side of a CUDA run in progress: waits for its end on one stream, and meanwhile passes
// interrupts on and fetches progress on another, so that the kernels never poll outside the device.
#pragma once
#include "dwell/base/api.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/monitor.hpp"
#include "dwell/execution/device/progress_publisher.hpp"
#include "dwell/execution/device/run_control.hpp"

namespace dwell::cuda {

class DWELL_API watcher {
 public:
  /// What is in `stream` now, such as the reset of `watch`, is done before the run is looked at.
  watcher(const run_control& control, monitor* watch, cudaStream_t stream);
  /// Returns when `end` has happened; throws what the progress function threw, or the device's
  /// error.
  void wait_for(cudaEvent_t end);
  /// One poll, without waiting.
  void poll();
  /// To be called when the run has ended.
  void finish();

 private:
  template <class T>
  void fetch(T* to, const T* from, int n);
  void publish_every(bool ended);

  const run_control& control_;
  monitor* watch_;
  /// The stream beside the run's, made when it is first needed.
  cudaStream_t side();

  stream side_;
  event ready_;
  progress_publisher publisher_;
  bool sent_ = false;
};

}  // namespace dwell::cuda
