// SPDX-License-Identifier: MIT
// How a GPU runs Sweeps. Included by generated files only.
#pragma once
#include <cstddef>
#include <span>

#include "dwell/execution/core/cuda_check.hpp"
#include "dwell/execution/core/kernel_cuda.cuh"
#include "dwell/execution/core/sweep_kernels_cuda.cuh"
#include "dwell/execution/core/sweep_variant.hpp"
#include "dwell/execution/core/watch_cuda.hpp"

namespace dwell::cuda {

/// The queue of executors whose time loop runs on the host: a stream, or a graph being recorded.
template <class S, class T>
class sweep_queue {
 public:
  sweep_queue(const sweep_call<S, T>& a, watcher& watch, cudaStream_t stream, event& clock)
      : a_(a), watch_(watch), stream_(stream), target_(stream), clock_(clock) {
    for (auto& m : marks_) DWELL_CUDA(cudaEventCreateWithFlags(m.out(), cudaEventDisableTiming));
    DWELL_CUDA(cudaEventCreateWithFlags(end_.out(), cudaEventDisableTiming));
    DWELL_CUDA(cudaMallocHost(&outcomes_, 2 * sizeof(sweep_state)));
    with_plain_rung<S, T>(a.plan.rung, [](auto rung) { loaded(step_kernel<S, T, rung>); });
    loaded(compare_kernel<T>);
    loaded(look_kernel<T>);
  }
  ~sweep_queue() { cudaFreeHost(outcomes_); }
  sweep_queue(const sweep_queue&) = delete;
  sweep_queue& operator=(const sweep_queue&) = delete;

  /// Starts the clock.
  void begin() { DWELL_CUDA(cudaEventRecord(clock_, stream_)); }
  void step(int turn) {
    with_plain_rung<S, T>(a_.plan.rung, [&](auto rung) {
      step_kernel<S, T, rung><<<a_.plan.teams, plain_lanes, plain_scratch, target_>>>(a_, turn);
    });
    DWELL_CUDA(cudaGetLastError());
  }
  void compare(int steps) {
    compare_kernel<T><<<a_.plan.teams, plain_lanes, plain_scratch, target_>>>(a_, steps);
    DWELL_CUDA(cudaGetLastError());
  }
  void look(int steps) {
    look_kernel<T><<<1, plain_lanes, plain_scratch, target_>>>(a_, steps, again_, round_);
    DWELL_CUDA(cudaGetLastError());
  }
  void post(int mark) {
    DWELL_CUDA(cudaMemcpyAsync(outcomes_ + mark, a_.state, sizeof(sweep_state),
                               cudaMemcpyDeviceToHost, stream_));
    DWELL_CUDA(cudaEventRecord(marks_[mark], stream_));
  }
  sweep_state outcome(int mark) {
    watch_.wait_for(marks_[mark]);
    watch_.look();
    return outcomes_[mark];
  }
  void finish() {
    DWELL_CUDA(cudaEventRecord(end_, stream_));
    watch_.wait_for(end_);
  }

  /// Makes a graph of body() and launches it: again and again until the device says stop, or until
  /// fewer than `round` steps are left.
  template <class Body>
  sweep_state repeat_while_running(int round, Body&& body) {
    recorded_graph whole;
    DWELL_CUDA(cudaGraphCreate(whole.out(), 0));
    DWELL_CUDA(cudaGraphConditionalHandleCreate(&again_, whole, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams loop = {};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = again_;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node;
    DWELL_CUDA(cudaGraphAddNode(&node, whole, nullptr, nullptr, 0, &loop));
    round_ = round;
    record_into(loop.conditional.phGraph_out[0], body);
    round_ = 0;
    make_ready(whole);
    begin();
    DWELL_CUDA(cudaGraphLaunch(ready_, stream_));
    post(0);
    return outcome(0);
  }
  /// Makes a graph of body() and launches it `times` times, or until somebody wants an end.
  template <class Body>
  sweep_state replay(int times, Body&& body) {
    recorded_graph whole;
    DWELL_CUDA(cudaGraphCreate(whole.out(), 0));
    record_into(whole, body);
    make_ready(whole);
    begin();
    for (int k = 0; k < times; ++k) {
      DWELL_CUDA(cudaGraphLaunch(ready_, stream_));
      post(k % 2);
      if (k > 0 && outcome((k + 1) % 2).stop != sweep_stop::running) times = k + 1;
    }
    return outcome((times - 1) % 2);
  }

 private:
  template <class Body>
  void record_into(cudaGraph_t graph, Body&& body) {
    stream recorder;
    DWELL_CUDA(cudaStreamCreateWithFlags(recorder.out(), cudaStreamNonBlocking));
    DWELL_CUDA(cudaStreamBeginCaptureToGraph(recorder, graph, nullptr, nullptr, 0,
                                             cudaStreamCaptureModeThreadLocal));
    target_ = recorder;
    body();
    target_ = stream_;
    cudaGraph_t captured;
    DWELL_CUDA(cudaStreamEndCapture(recorder, &captured));
  }
  void make_ready(cudaGraph_t graph) {
    DWELL_CUDA(cudaGraphInstantiate(ready_.out(), graph, 0));
    DWELL_CUDA(cudaGraphUpload(ready_, stream_));
    DWELL_CUDA(cudaStreamSynchronize(stream_));
  }

  const sweep_call<S, T>& a_;
  watcher& watch_;
  cudaStream_t stream_, target_;
  event& clock_;
  event marks_[2], end_;
  sweep_state* outcomes_ = nullptr;
  executable_graph ready_;
  cudaGraphConditionalHandle again_{};
  int round_ = 0;
};

/// f(stream, begin, end) records the two events around the work and waits for it; returns seconds.
template <class F>
double timed(const device& where, F&& f) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  stream main;
  event begin, end;
  DWELL_CUDA(cudaStreamCreateWithFlags(main.out(), cudaStreamNonBlocking));
  DWELL_CUDA(cudaEventCreate(begin.out()));
  DWELL_CUDA(cudaEventCreate(end.out()));
  f(main, begin, end);
  float ms = 0;
  DWELL_CUDA(cudaEventElapsedTime(&ms, begin, end));
  return ms * 1e-3;
}

/// Executors with a `drive`.
template <class S, class T, class E>
double drive_sweep(const void* args, std::span<const double> weights, const device& where,
                   const run_control& control) {
  const auto a = call_of<S, T>(args, weights);
  return timed(where, [&](cudaStream_t main, event& begin, event& end) {
    watcher watch(control, a.watch);
    sweep_queue<S, T> queue(a, watch, main, begin);
    E::template drive<T>(queue, a);
    DWELL_CUDA(cudaEventRecord(end, main));
    DWELL_CUDA(cudaEventSynchronize(end));
  });
}

/// A kernel whose teams are all resident together.
template <class Kernel, class Call>
double run_resident(Kernel kernel, const Call& a, int lanes, std::size_t scratch,
                    const device& where, const run_control& control) {
  return timed(where, [&](cudaStream_t main, event& begin, event& end) {
    watcher watch(control, a.watch);
    allow_scratch(kernel, scratch);
    loaded(kernel);
    void* parameters[] = {const_cast<Call*>(&a)};
    DWELL_CUDA(cudaEventRecord(begin, main));
    DWELL_CUDA(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(a.plan.teams)),
                                           dim3(static_cast<unsigned>(lanes)), parameters, scratch,
                                           main));
    DWELL_CUDA(cudaEventRecord(end, main));
    watch.wait_for(end);
  });
}

/// Executors with a `run`, their `loop`.
template <class S, class T, class Loop>
double run_sweep(const void* args, std::span<const double> weights, const device& where,
                 const run_control& control) {
  const auto a = call_of<S, T>(args, weights);
  return with_plain_rung<S, T>(a.plan.rung, [&](auto rung) {
    return run_resident(whole_kernel<S, T, Loop, rung>, a, plain_lanes, plain_scratch, where,
                        control);
  });
}

template <class Kernel>
sweep_rung_facts facts_of(Kernel kernel, const sweep_rung& rung, std::size_t scratch,
                          const device& where) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  allow_scratch(kernel, scratch);
  const cudaFuncAttributes f = loaded(kernel);
  int per_unit = 0, units = 0;
  DWELL_CUDA(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, where.ordinal()));
  DWELL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, kernel, rung.lanes, scratch));
  return {rung, f.numRegs, static_cast<int>(f.localSizeBytes), per_unit * units, scratch};
}
template <class S, class T>
sweep_rung_facts probe_step(const device& where, int rung) {
  return with_plain_rung<S, T>(rung, [&](auto r) {
    return facts_of(step_kernel<S, T, r>, thread_rungs<S, T>[r], plain_scratch, where);
  });
}
template <class S, class T, class Loop>
sweep_rung_facts probe_whole(const device& where, int rung) {
  return with_plain_rung<S, T>(rung, [&](auto r) {
    return facts_of(whole_kernel<S, T, Loop, r>, whole_rungs<S, T>[r], plain_scratch, where);
  });
}

template <class S, class T, class E>
sweep_variant driven_variant() {
  return {shape_facts<S>(),   E::name,           precision_of<T>,      backend::cuda, false,
          thread_rungs<S, T>, &probe_step<S, T>, &drive_sweep<S, T, E>};
}
template <class S, class T, class E>
sweep_variant running_variant() {
  return {shape_facts<S>(),
          E::name,
          precision_of<T>,
          backend::cuda,
          true,
          whole_rungs<S, T>,
          &probe_whole<S, T, typename E::loop>,
          &run_sweep<S, T, typename E::loop>};
}

}  // namespace dwell::cuda
