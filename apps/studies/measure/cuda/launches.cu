// SPDX-License-Identifier: MIT
// What a launch costs besides the work of its kernel, by kernel fusion (Zhang 2023, section 3.3.1):
// n launches of a kernel that works for w against one launch of a kernel that works for n w.
#include <chrono>
#include <map>
#include <memory>

#include "studies/measure/cuda/kernel_timer.hpp"

namespace dwell::app {

namespace {

using namespace gpu;

constexpr int threads = 256;
constexpr double works[] = {0, 1e-6, 2e-6, 4e-6, 8e-6};
/// Launches of a long run: a queue of the driver holds about as many.
constexpr double launches = 1024;

/// One thread of each block reads the clock until so many cycles have passed, so many times.
__device__ void work(long long cycles, int times) {
  if (threadIdx.x == 0)
    for (int k = 0; k < times; ++k) {
      const long long begin = span_clock::now();
      while (span_clock::now() - begin < cycles) {
      }
    }
  __syncthreads();
}

__global__ void __launch_bounds__(threads) working_kernel(long long cycles, int times) {
  if (cycles > 0) work(cycles, times);
}

/// Lets the next launch begin at once, and waits for the one before it to end.
__global__ void __launch_bounds__(threads) dependent_kernel(long long cycles, int times) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  if (cycles > 0) work(cycles, times);
}

/// A graph of so many launches, one after the other.
class chain_graph {
 public:
  chain_graph(const launcher<long long, int>& launch, long long cycles, int many,
              cudaStream_t stream) {
    cuda::recorded_graph graph;
    DWELL_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < many; ++k) launch(stream, cycles, 1);
    DWELL_CUDA(cudaStreamEndCapture(stream, graph.out()));
    DWELL_CUDA(cudaGraphInstantiate(ready_.out(), graph, 0));
    DWELL_CUDA(cudaGraphUpload(ready_, stream));
    DWELL_CUDA(cudaStreamSynchronize(stream));
  }
  void launch(cudaStream_t stream) const { DWELL_CUDA(cudaGraphLaunch(ready_, stream)); }

 private:
  cuda::executable_graph ready_;
};

struct launch_kind {
  const char* probe;
  launch_shape shape = {};
  bool in_graph = false;
};

double cycles_per_second(const device_facts& here) {
  int khz = 0;
  DWELL_CUDA(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, here.ordinal));
  return khz * 1e3;
}

void measure_kind(measuring& m, launch_kind kind) {
  const device_facts& here = m.request().here;
  kernel_timer timer(here);
  kind.shape.blocks = here.units - (kind.shape.cluster ? here.units % kind.shape.cluster : 0);
  kind.shape.threads = threads;
  const launcher launch(kind.shape.dependent ? dependent_kernel : working_kernel, kind.shape);
  for (const double work_s : works) {
    const auto cycles = static_cast<long long>(work_s * cycles_per_second(here));
    std::map<int, std::unique_ptr<chain_graph>> graphs;
    const auto all = [&](int many) {
      if (!kind.in_graph)
        return timer.seconds_of([&] {
          for (int k = 0; k < many; ++k) launch(timer.stream(), cycles, 1);
        });
      auto& graph = graphs[many];
      if (!graph) graph = std::make_unique<chain_graph>(launch, cycles, many, timer.stream());
      return timer.seconds_of([&] { graph->launch(timer.stream()); });
    };
    const auto fused = [&](int times) {
      return cycles ? timer.seconds_of([&] { launch(timer.stream(), cycles, times); }) : 0.0;
    };
    (void)all(8);  // the first launch loads the kernel
    measured_row row{"sync", kind.probe, threads};
    row.blocks = kind.shape.blocks;
    row.work = work_s;
    m.add(row, launches, [&](double many) -> run_time {
      const int n = static_cast<int>(many);
      return all(n) - fused(n);
    });
  }
}

}  // namespace

void measure_stream_launch(measuring& m) { measure_kind(m, {"launch, stream"}); }
void measure_graph_launch(measuring& m) { measure_kind(m, {"launch, graph", {}, true}); }
void measure_cooperative_launch(measuring& m) {
  launch_kind kind{"launch, cooperative"};
  kind.shape.cooperative = true;
  measure_kind(m, kind);
}
void measure_cluster_launch(measuring& m) {
  if (m.request().here.cluster_teams < 2) return;
  launch_kind kind{"launch, cluster"};
  kind.shape.cluster = 2;
  measure_kind(m, kind);
}
void measure_dependent_launch(measuring& m) {
  if (m.request().here.compute_capability < 90) return;
  launch_kind kind{"launch, dependent"};
  kind.shape.dependent = true;
  measure_kind(m, kind);
}

void measure_launch_and_wait(measuring& m) {
  kernel_timer timer(m.request().here);
  const launcher launch(working_kernel, {m.request().here.units, threads});
  measured_row row{"sync", "launch and wait", threads};
  row.blocks = m.request().here.units;
  row.work = 0;
  m.add(row, [&](double many) -> run_time {
    const auto begin = std::chrono::steady_clock::now();
    for (double k = 0; k < many; ++k) {
      launch(timer.stream(), 0LL, 1);
      DWELL_CUDA(cudaStreamSynchronize(timer.stream()));
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  });
}

}  // namespace dwell::app
