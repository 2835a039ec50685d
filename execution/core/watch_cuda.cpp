// SPDX-License-Identifier: MIT
// See watch_cuda.hpp.
#include "dwell/execution/core/watch_cuda.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <thread>

namespace dwell::cuda {
namespace {
double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
}  // namespace

watcher::watcher(const run_control& control, monitor* watch)
    : control_(control), watch_(watch), next_(now() + control.progress_interval) {
  DWELL_CUDA(cudaStreamCreateWithFlags(side_.out(), cudaStreamNonBlocking));
}

void watcher::look() {
  if (!sent_ && ((control_.interrupt && control_.interrupt->load()) || failed_)) {
    const int one = 1;
    DWELL_CUDA(
        cudaMemcpyAsync(&watch_->interrupt, &one, sizeof one, cudaMemcpyHostToDevice, side_));
    DWELL_CUDA(cudaStreamSynchronize(side_));
    sent_ = true;
  }
  if (!control_.progress || failed_ || now() < next_) return;
  next_ = now() + control_.progress_interval;
  monitor seen;
  DWELL_CUDA(cudaMemcpyAsync(&seen, watch_, sizeof seen, cudaMemcpyDeviceToHost, side_));
  DWELL_CUDA(cudaStreamSynchronize(side_));
  try {
    control_.progress(seen.step, seen.residual);
  } catch (...) {
    failed_ = std::current_exception();
  }
}

void watcher::wait_for(cudaEvent_t end) {
  const double begin = now();
  for (;;) {
    const cudaError_t status = cudaEventQuery(end);
    if (status == cudaSuccess) break;
    if (status != cudaErrorNotReady) check(status, "waiting for the end of the run");
    look();
    const double waited = now() - begin;  // poll closely at first, then leave the core to others
    if (waited > 1e-3)
      std::this_thread::sleep_for(std::chrono::microseconds(waited > 0.1 ? 1000 : 50));
  }
  if (failed_) std::rethrow_exception(failed_);
}

}  // namespace dwell::cuda
