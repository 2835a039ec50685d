// SPDX-License-Identifier: MIT
// How a GPU runs Programs. Included by generated files only.
#pragma once
#include <algorithm>
#include <string>

#include "dwell/execution/core/cuda_check.hpp"
#include "dwell/execution/core/kernel_cuda.cuh"
#include "dwell/execution/core/store.hpp"
#include "dwell/execution/core/team_cuda.cuh"
#include "dwell/execution/core/variant.hpp"
#include "dwell/execution/core/watch_cuda.hpp"

namespace dwell::cuda {

template <class E, int Rung>
struct shape_of {
  static constexpr rung value = E::cuda_rungs[Rung];
};

template <class P, class T, class E, int Rung>
struct kernel_types {
  static constexpr int lanes = E::cuda_rungs[Rung].lanes;
  static constexpr int teams_per_unit = E::cuda_rungs[Rung].teams_per_unit;
  using team = cuda_team<lanes, E::cuda_rungs[Rung].keeps>;
  using store_type = store<P, T, team, shape_of<E, Rung>>;
};

/// Scratch of one team.
template <class P, class T, class E, int Rung>
std::size_t scratch_of(const program_args<P, T>& a) {
  return kernel_types<P, T, E, Rung>::team::reserved_bytes() +
         kept_bytes<T>(a.keep, a.tiles.narrow != nullptr);
}

/// A whole run in one launch.
template <class P, class T, class E, int Rung>
__global__ void __launch_bounds__(kernel_types<P, T, E, Rung>::lanes,
                                  kernel_types<P, T, E, Rung>::teams_per_unit)
    run_kernel(const __grid_constant__ program_args<P, T> a) {
  using k = kernel_types<P, T, E, Rung>;
  if constexpr (can_run<P>(shape_of<E, Rung>::value)) {
    typename k::team team(a.barrier, a.posts, a.in_cluster);
    typename k::store_type s(team, a);
    E::template run<P, T>(s, a);
  }
}

/// One phase.
template <class P, class T, class E, int Rung, int Phase>
__global__ void __launch_bounds__(kernel_types<P, T, E, Rung>::lanes,
                                  kernel_types<P, T, E, Rung>::teams_per_unit)
    phase_kernel(const __grid_constant__ program_args<P, T> a, int turn) {
  using k = kernel_types<P, T, E, Rung>;
  typename k::team team(a.barrier, a.posts, a.in_cluster);
  typename k::store_type s(team, a);
  E::template phase<Phase, P, T>(s, a, turn);
}

/// Decides on the device whether a graph's body runs once more.
template <class P>
__global__ void continue_kernel(const typename P::scalars* state,
                                cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, state->stop == 0);
}

/// The queue of executors that launch phase by phase: a stream, or a graph under construction.
template <class P, class T, class E, int Rung>
class queue {
 public:
  queue(const program_args<P, T>& a, int teams, watcher& watch, cudaStream_t stream)
      : a_(a),
        teams_(teams),
        scratch_(scratch_of<P, T, E, Rung>(a)),
        watch_(watch),
        stream_(stream),
        target_(stream) {
    for (auto& m : marks_) DWELL_CUDA(cudaEventCreateWithFlags(m.out(), cudaEventDisableTiming));
    DWELL_CUDA(cudaEventCreateWithFlags(end_.out(), cudaEventDisableTiming));
    DWELL_CUDA(cudaMallocHost(&outcomes_, 2 * sizeof(typename P::scalars)));
    // The first launch of a kernel loads it; that is set-up.
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (allow_scratch(phase_kernel<P, T, E, Rung, K>, scratch_), ...);
      cudaFuncAttributes facts;
      (check(cudaFuncGetAttributes(&facts, phase_kernel<P, T, E, Rung, K>), "loading a kernel"),
       ...);
    }
    (std::make_integer_sequence<int, P::phases>{});
  }
  ~queue() { cudaFreeHost(outcomes_); }
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;

  template <int Phase>
  void launch(const program_args<P, T>& a, int turn) {
    using k = kernel_types<P, T, E, Rung>;
    phase_kernel<P, T, E, Rung, Phase><<<teams_, k::lanes, scratch_, target_>>>(a, turn);
    DWELL_CUDA(cudaGetLastError());
  }
  void post(int mark) {
    DWELL_CUDA(cudaMemcpyAsync(outcomes_ + mark, a_.state, sizeof(typename P::scalars),
                               cudaMemcpyDeviceToHost, stream_));
    DWELL_CUDA(cudaEventRecord(marks_[mark], stream_));
  }
  typename P::scalars outcome(int mark) {
    watch_.wait_for(marks_[mark]);
    watch_.look();
    return outcomes_[mark];
  }
  void finish() {
    DWELL_CUDA(cudaEventRecord(end_, stream_));
    watch_.wait_for(end_);
  }

  /// Makes the graph and launches it: body() again and again until the scalars say stop.
  template <class Body>
  void repeat_while_running(Body&& body) {
    recorded_graph whole;
    DWELL_CUDA(cudaGraphCreate(whole.out(), 0));
    cudaGraphConditionalHandle handle;
    DWELL_CUDA(cudaGraphConditionalHandleCreate(&handle, whole, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams loop = {};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = handle;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node;
    DWELL_CUDA(cudaGraphAddNode(&node, whole, nullptr, nullptr, 0, &loop));

    stream recorder;
    DWELL_CUDA(cudaStreamCreateWithFlags(recorder.out(), cudaStreamNonBlocking));
    DWELL_CUDA(cudaStreamBeginCaptureToGraph(recorder, loop.conditional.phGraph_out[0], nullptr,
                                             nullptr, 0, cudaStreamCaptureModeThreadLocal));
    target_ = recorder;
    body();
    continue_kernel<P><<<1, 1, 0, recorder>>>(a_.state, handle);
    DWELL_CUDA(cudaGetLastError());
    target_ = stream_;
    cudaGraph_t captured;
    DWELL_CUDA(cudaStreamEndCapture(recorder, &captured));

    DWELL_CUDA(cudaGraphInstantiate(ready_.out(), whole, 0));
    DWELL_CUDA(cudaGraphUpload(ready_, stream_));
    DWELL_CUDA(cudaStreamSynchronize(stream_));
    begin();
    DWELL_CUDA(cudaGraphLaunch(ready_, stream_));
  }

  /// Starts the clock, for executors whose set-up is done by now.
  void begin() {
    if (started_) return;
    started_ = true;
    DWELL_CUDA(cudaEventRecord(*clock_, stream_));
  }
  void use_clock(event* clock) { clock_ = clock; }

 private:
  const program_args<P, T>& a_;
  int teams_;
  std::size_t scratch_;
  watcher& watch_;
  cudaStream_t stream_, target_;
  event marks_[2], end_;
  event* clock_ = nullptr;
  bool started_ = false;
  typename P::scalars* outcomes_ = nullptr;
  executable_graph ready_;
};

template <class P, class T, class E, int Rung>
double run_rung(const program_args<P, T>& a, const device& where, const plan& how,
                const run_control& control) {
  using k = kernel_types<P, T, E, Rung>;
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  stream main;
  event begin, end;
  DWELL_CUDA(cudaStreamCreateWithFlags(main.out(), cudaStreamNonBlocking));
  DWELL_CUDA(cudaEventCreate(begin.out()));
  DWELL_CUDA(cudaEventCreate(end.out()));
  watcher watch(control, a.watch);
  watch.look();  // an interrupt may be there already
  DWELL_CUDA(cudaMemcpyAsync(a.state, &a.start, sizeof a.start, cudaMemcpyHostToDevice, main));
  if constexpr (E::launches_phases) {
    queue<P, T, E, Rung> q(a, how.teams, watch, main);
    DWELL_CUDA(cudaStreamSynchronize(main));
    q.use_clock(&begin);
    if constexpr (!E::records) q.begin();
    E::template drive<P, T>(q, a);
    DWELL_CUDA(cudaEventRecord(end, main));
    DWELL_CUDA(cudaEventSynchronize(end));
  } else {
    auto kernel = run_kernel<P, T, E, Rung>;
    const std::size_t scratch = scratch_of<P, T, E, Rung>(a);
    allow_scratch(kernel, scratch);
    cudaFuncAttributes facts;
    DWELL_CUDA(cudaFuncGetAttributes(&facts, kernel));
    DWELL_CUDA(cudaStreamSynchronize(main));
    void* args[] = {const_cast<program_args<P, T>*>(&a)};
    DWELL_CUDA(cudaEventRecord(begin, main));
    cudaLaunchAttribute together{};
    if (a.in_cluster) {
      DWELL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
      together.id = cudaLaunchAttributeClusterDimension;
      together.val.clusterDim.x = static_cast<unsigned>(how.teams);
      together.val.clusterDim.y = together.val.clusterDim.z = 1;
    } else {
      together.id = cudaLaunchAttributeCooperative;
      together.val.cooperative = 1;
    }
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(static_cast<unsigned>(how.teams));
    launch.blockDim = dim3(k::lanes);
    launch.dynamicSmemBytes = scratch;
    launch.stream = main;
    launch.attrs = &together;
    launch.numAttrs = 1;
    DWELL_CUDA(cudaLaunchKernelExC(&launch, reinterpret_cast<const void*>(kernel), args));
    DWELL_CUDA(cudaEventRecord(end, main));
    watch.wait_for(end);
  }
  watch.finish();
  float ms = 0;
  DWELL_CUDA(cudaEventElapsedTime(&ms, begin, end));
  return ms * 1e-3;
}

template <class P, class T, class E, int Rung>
rung_facts probe_rung(const device& where) {
  using k = kernel_types<P, T, E, Rung>;
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  int units = 0;
  DWELL_CUDA(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, where.ordinal()));
  rung_facts worst{E::cuda_rungs[Rung], 0, 0, 1 << 30, k::team::reserved_bytes()};
  const auto ask = [&](auto kernel) {
    cudaFuncAttributes f{};
    DWELL_CUDA(cudaFuncGetAttributes(&f, kernel));
    int per_unit = 0;
    DWELL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, kernel, k::lanes,
                                                             worst.scratch_bytes));
    worst.registers = std::max(worst.registers, f.numRegs);
    worst.spill_bytes = std::max(worst.spill_bytes, static_cast<int>(f.localSizeBytes));
    worst.max_teams = std::min(worst.max_teams, per_unit * units);
  };
  if constexpr (E::launches_phases) [&]<int... K>(std::integer_sequence<int, K...>) {
      (ask(phase_kernel<P, T, E, Rung, K>), ...);
    }
  (std::make_integer_sequence<int, P::phases>{});
  else ask(run_kernel<P, T, E, Rung>);
  return worst;
}

template <class P, class T, class E>
double run(const void* args, const device& where, const plan& how, const run_control& control) {
  const auto& a = *static_cast<const program_args<P, T>*>(args);
  return with_rung<std::size(E::cuda_rungs)>(
      how.rung, [&]<int R>() { return run_rung<P, T, E, R>(a, where, how, control); });
}

template <class P, class T, class E>
rung_facts probe(const device& where, int rung) {
  return with_rung<std::size(E::cuda_rungs)>(
      rung, [&]<int R>() { return probe_rung<P, T, E, R>(where); });
}

template <class P, class T, class E>
rung_facts assume(const device_facts& facts, int rung) {
  return with_rung<std::size(E::cuda_rungs)>(rung, [&]<int R>() -> rung_facts {
    constexpr auto& shape = E::cuda_rungs[R];
    return {shape, 0, 0, shape.teams_per_unit * facts.units,
            kernel_types<P, T, E, R>::team::reserved_bytes()};
  });
}

template <class P, class T, class E>
program_variant variant_of() {
  return {P::name,       E::name,         precision_of<T>,  backend::cuda, !E::launches_phases,
          E::cuda_rungs, &probe<P, T, E>, &assume<P, T, E>, &run<P, T, E>};
}

}  // namespace dwell::cuda
