// SPDX-License-Identifier: MIT
// Events around launches, and the spans of blocks put together.
#include "studies/measure/cuda/kernel_timer.hpp"

#include <algorithm>

namespace dwell::app::gpu {

kernel_timer::kernel_timer(const device_facts& here) {
  DWELL_CUDA(cudaSetDevice(here.ordinal));
  DWELL_CUDA(cudaStreamCreateWithFlags(stream_.out(), cudaStreamNonBlocking));
  DWELL_CUDA(cudaEventCreate(begin_.out()));
  DWELL_CUDA(cudaEventCreate(end_.out()));
}

kernel_timer::~kernel_timer() { cudaFree(spans_); }

kernel_span* kernel_timer::spans_of(int blocks) {
  const auto n = static_cast<std::size_t>(blocks);
  if (n > read_.size()) {
    DWELL_CUDA(cudaFree(spans_));
    spans_ = nullptr;
    DWELL_CUDA(cudaMalloc(&spans_, n * sizeof(kernel_span)));
    read_.resize(n);
  }
  return spans_;
}

/// The longest span: that of a block which began with the first and ended with the last.
run_time kernel_timer::with_spans(double seconds, int blocks) {
  DWELL_CUDA(cudaMemcpyAsync(read_.data(), spans_,
                             static_cast<std::size_t>(blocks) * sizeof(kernel_span),
                             cudaMemcpyDeviceToHost, stream_));
  DWELL_CUDA(cudaStreamSynchronize(stream_));
  kernel_span most;
  for (int b = 0; b < blocks; ++b) {
    const kernel_span& one = read_[static_cast<std::size_t>(b)];
    most.cycles = std::max(most.cycles, one.cycles);
    most.ns = std::max(most.ns, one.ns);
  }
  return {seconds, static_cast<double>(most.ns) * 1e-9, static_cast<double>(most.cycles)};
}

}  // namespace dwell::app::gpu
