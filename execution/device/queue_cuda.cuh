// SPDX-License-Identifier: MIT
// The queue of executors whose time loop runs on the host, for either family: launches go to a
// stream, or into a graph that is being recorded. The host keeps a little ahead of the device and
// reads the state that the device left at a mark; a graph may repeat while the device says so. A
// queue serves one run after the other, and keeps its graph.
#pragma once
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/watch_cuda.hpp"

namespace dwell::cuda {

/// State: what the device leaves in its memory for the host to decide by; trivially copyable.
template <class State>
class host_queue {
 public:
  host_queue(const State* state, cudaStream_t stream)
      : state_(state), stream_(stream), target_(stream) {
    for (auto& m : marks_) DWELL_CUDA(cudaEventCreateWithFlags(m.out(), cudaEventDisableTiming));
    DWELL_CUDA(cudaEventCreateWithFlags(end_.out(), cudaEventDisableTiming));
    DWELL_CUDA(cudaMallocHost(reinterpret_cast<void**>(&outcomes_), 2 * sizeof(State)));
  }
  ~host_queue() { cudaFreeHost(outcomes_); }
  host_queue(const host_queue&) = delete;
  host_queue& operator=(const host_queue&) = delete;

  /// For the run that follows; both must stay until its end.
  void run_with(watcher& watch, run_clock& clock) { watch_ = &watch, clock_ = &clock; }

  void begin() { clock_->begin(); }
  /// Two marks are in use in turn.
  void record_outcome(int mark) {
    DWELL_CUDA(
        cudaMemcpyAsync(outcomes_ + mark, state_, sizeof(State), cudaMemcpyDeviceToHost, stream_));
    DWELL_CUDA(cudaEventRecord(marks_[mark], stream_));
  }
  /// Waits for the mark.
  State outcome(int mark) {
    watch_->wait_for(marks_[mark]);
    watch_->poll();
    return outcomes_[mark];
  }
  void finish() {
    DWELL_CUDA(cudaEventRecord(end_, stream_));
    watch_->wait_for(end_);
  }

 protected:
  /// Where launches go.
  cudaStream_t target() const { return target_; }
  /// By which a kernel in the body of a repeated graph says whether it runs again.
  cudaGraphConditionalHandle again() const { return again_; }

  /// Makes the graph of body(), whose launches go to target(); repeated: as long as again() is set.
  template <class Body>
  void make_graph(bool repeated, Body&& body) {
    make_graph(repeated, body, ready_);
  }
  /// Records into a graph of the caller's, which is empty.
  template <class Body>
  void make_graph(bool repeated, Body&& body, executable_graph& ready) {
    recorded_graph whole;
    DWELL_CUDA(cudaGraphCreate(whole.out(), 0));
    cudaGraph_t inner = whole;
    if (repeated) {
      DWELL_CUDA(cudaGraphConditionalHandleCreate(&again_, whole, 1, cudaGraphCondAssignDefault));
      cudaGraphNodeParams loop = {};
      loop.type = cudaGraphNodeTypeConditional;
      loop.conditional.handle = again_;
      loop.conditional.type = cudaGraphCondTypeWhile;
      loop.conditional.size = 1;
      cudaGraphNode_t node;
      DWELL_CUDA(cudaGraphAddNode(&node, whole, nullptr, nullptr, 0, &loop));
      inner = loop.conditional.phGraph_out[0];
    }
    stream recorder;
    DWELL_CUDA(cudaStreamCreateWithFlags(recorder.out(), cudaStreamNonBlocking));
    DWELL_CUDA(cudaStreamBeginCaptureToGraph(recorder, inner, nullptr, nullptr, 0,
                                             cudaStreamCaptureModeThreadLocal));
    target_ = recorder;
    body();
    target_ = stream_;
    cudaGraph_t captured;
    DWELL_CUDA(cudaStreamEndCapture(recorder, &captured));
    DWELL_CUDA(cudaGraphInstantiate(ready.out(), whole, 0));
    DWELL_CUDA(cudaGraphUpload(ready, stream_));
    DWELL_CUDA(cudaStreamSynchronize(stream_));
  }
  bool has_graph() const { return ready_ != nullptr; }
  void launch_graph() { launch_graph(ready_); }
  void launch_graph(const executable_graph& ready) { DWELL_CUDA(cudaGraphLaunch(ready, stream_)); }

 private:
  const State* state_;
  watcher* watch_ = nullptr;
  run_clock* clock_ = nullptr;
  cudaStream_t stream_, target_;
  event marks_[2], end_;
  State* outcomes_ = nullptr;
  executable_graph ready_;
  cudaGraphConditionalHandle again_{};
};

}  // namespace dwell::cuda
