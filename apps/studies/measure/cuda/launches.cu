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

launch_kind cooperative_kind(const char* probe) {
  launch_kind kind{probe};
  kind.shape.cooperative = true;
  return kind;
}
launch_kind cluster_kind(const char* probe) {
  launch_kind kind{probe};
  kind.shape.cluster = 2;
  return kind;
}
launch_kind dependent_kind(const char* probe) {
  launch_kind kind{probe};
  kind.shape.dependent = true;
  return kind;
}

/// A block for each multiprocessor, whole clusters.
launcher<long long, int> launcher_of(launch_kind& kind, const device_facts& here) {
  kind.shape.blocks = here.units - (kind.shape.cluster ? here.units % kind.shape.cluster : 0);
  kind.shape.threads = threads;
  return {kind.shape.dependent ? dependent_kernel : working_kernel, kind.shape};
}

void measure_kind(measuring& m, launch_kind kind) {
  const device_facts& here = m.request().here;
  kernel_timer timer(here);
  const auto launch = launcher_of(kind, here);
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

/// Launches a kernel of nothing that the host waits for, each time.
void wait_for_kind(measuring& m, launch_kind kind) {
  kernel_timer timer(m.request().here);
  const auto launch = launcher_of(kind, m.request().here);
  std::unique_ptr<chain_graph> graph;
  if (kind.in_graph) graph = std::make_unique<chain_graph>(launch, 0LL, 1, timer.stream());
  measured_row row{"sync", kind.probe, threads};
  row.blocks = kind.shape.blocks;
  row.work = 0;
  m.add(row, [&](double many) -> run_time {
    const auto begin = std::chrono::steady_clock::now();
    for (double k = 0; k < many; ++k) {
      if (graph)
        graph->launch(timer.stream());
      else
        launch(timer.stream(), 0LL, 1);
      DWELL_CUDA(cudaStreamSynchronize(timer.stream()));
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  });
}

}  // namespace

void measure_stream_launch(measuring& m) { measure_kind(m, {"launch, stream"}); }
void measure_graph_launch(measuring& m) { measure_kind(m, {"launch, graph", {}, true}); }
void measure_cooperative_launch(measuring& m) {
  measure_kind(m, cooperative_kind("launch, cooperative"));
}
void measure_cluster_launch(measuring& m) {
  if (m.request().here.cluster_teams >= 2) measure_kind(m, cluster_kind("launch, cluster"));
}
void measure_dependent_launch(measuring& m) {
  if (m.request().here.compute_capability >= 90)
    measure_kind(m, dependent_kind("launch, dependent"));
}

void measure_launch_and_wait(measuring& m) {
  wait_for_kind(m, {"launch and wait"});
  wait_for_kind(m, {"launch and wait, graph", {}, true});
  wait_for_kind(m, cooperative_kind("launch and wait, cooperative"));
  if (m.request().here.cluster_teams >= 2)
    wait_for_kind(m, cluster_kind("launch and wait, cluster"));
  if (m.request().here.compute_capability >= 90)
    wait_for_kind(m, dependent_kind("launch and wait, dependent"));
}

}  // namespace dwell::app
