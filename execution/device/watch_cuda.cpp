// SPDX-License-Identifier: MIT
// Polls events of one stream, and copies progress on another.
#include "dwell/execution/device/watch_cuda.hpp"

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace dwell::cuda {
namespace {
double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
}  // namespace

watcher::watcher(const run_control& control, monitor* watch, cudaStream_t stream)
    : control_(control), watch_(watch), publisher_(control) {
  if (!control.interrupt && !control.progress) return;  // nothing to pass on, nobody to tell
  DWELL_CUDA(cudaEventCreateWithFlags(ready_.out(), cudaEventDisableTiming));
  DWELL_CUDA(cudaEventRecord(ready_, stream));
}

cudaStream_t watcher::side() {
  if (!side_) {
    DWELL_CUDA(cudaStreamCreateWithFlags(side_.out(), cudaStreamNonBlocking));
    DWELL_CUDA(cudaStreamWaitEvent(side_, ready_, 0));
  }
  return side_;
}

template <class T>
void watcher::fetch(T* to, const T* from, int n) {
  DWELL_CUDA(cudaMemcpyAsync(to, from, static_cast<std::size_t>(n) * sizeof(T),
                             cudaMemcpyDeviceToHost, side()));
  DWELL_CUDA(cudaStreamSynchronize(side_));
}

void watcher::poll() {
  if (!sent_ && ((control_.interrupt && control_.interrupt->load()) || publisher_.stopped())) {
    const int one = 1;
    DWELL_CUDA(
        cudaMemcpyAsync(&watch_->interrupt, &one, sizeof one, cudaMemcpyHostToDevice, side()));
    DWELL_CUDA(cudaStreamSynchronize(side_));
    sent_ = true;
  }
  if (!publisher_.due()) return;
  if (control_.every) return publish_every(false);
  monitor seen;
  fetch(&seen, watch_, 1);
  publisher_.publish(seen.step, seen.residual);
}

/// An entry of the history may arrive after the step that it belongs to: until then it is zero, as
/// only the residual of a run's end may be.
void watcher::publish_every(bool ended) {
  monitor seen;
  fetch(&seen, watch_, 1);
  const int first = publisher_.next();
  if (seen.step < first) return;
  std::vector<double> passed(static_cast<std::size_t>(seen.step - first) + 1);
  fetch(passed.data(), control_.every + first, static_cast<int>(passed.size()));
  for (const double residual : passed) {
    if ((residual == 0.0 && !ended) || publisher_.stopped()) return;
    publisher_.publish(publisher_.next(), residual);
  }
}

void watcher::finish() {
  if (publisher_.due() && control_.every) publish_every(true);
  publisher_.rethrow();
}

void watcher::wait_for(cudaEvent_t end) {
  const double begin = now();
  for (;;) {
    const cudaError_t status = cudaEventQuery(end);
    if (status == cudaSuccess) break;
    if (status != cudaErrorNotReady) check(status, "waiting for the end of the run");
    poll();
    const double waited = now() - begin;  // poll closely at first, then leave the core to others
    if (waited > 1e-3)
      std::this_thread::sleep_for(std::chrono::microseconds(waited > 0.1 ? 1000 : 50));
  }
  publisher_.rethrow();
}

}  // namespace dwell::cuda
