// SPDX-License-Identifier: MIT
// Barriers of blocks: of a thread block cluster, of the grid (cooperative groups' and Dwell's own),
// and flags between neighbours in a ring.
#include "studies/measure/cuda/kernel_timer.hpp"

#include "dwell/execution/team/cooperative_barrier.cuh"
#include "dwell/execution/team/grid_barrier.cuh"

namespace dwell::app {

namespace {

using namespace gpu;

/// The hardware's, of all blocks of a cluster; Orders: what was written before is visible after.
template <bool Orders>
struct cluster_barrier {
  __device__ explicit cluster_barrier(unsigned*) {}
  __device__ void wait() {
#if __CUDA_ARCH__ >= 900
    if constexpr (Orders) {
      asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
      asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    } else {
      asm volatile("barrier.cluster.arrive.relaxed.aligned;");
      asm volatile("barrier.cluster.wait.aligned;");
    }
#endif
  }
};

/// That of Dwell's teams (execution/team/team_cuda.cuh): one thread orders what its block wrote.
struct dwell_cluster_barrier {
  __device__ explicit dwell_cluster_barrier(unsigned*) {}
  __device__ void wait() {
    __syncthreads();
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) asm volatile("fence.acq_rel.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
  }
};

constexpr unsigned flag_stride = 32;  // a line each

/// Each block raises its flag and waits for those beside it, as subdomains of a stencil do.
class ring_flags {
 public:
  __device__ explicit ring_flags(unsigned* flags) : flags_(flags) {}
  __device__ void wait() {
    ++round_;
    __syncthreads();
    if (threadIdx.x == 0)
      asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flags_ + blockIdx.x * flag_stride),
                   "r"(round_)
                   : "memory");
    if (threadIdx.x < 2) {
      const unsigned other = (blockIdx.x + (threadIdx.x ? 1 : gridDim.x - 1)) % gridDim.x;
      unsigned raised;
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(raised)
                     : "l"(flags_ + other * flag_stride)
                     : "memory");
      } while (static_cast<int>(raised - round_) < 0);
    }
    __syncthreads();
  }

 private:
  unsigned* flags_;
  unsigned round_ = 0;
};

template <class Barrier>
__global__ void __launch_bounds__(1024, 2)
    barrier_kernel(kernel_span* spans, unsigned* words, long long rounds) {
  Barrier barrier(words);
  barrier.wait();  // blocks begin one by one
  const span_clock clock;
#pragma unroll 1
  for (long long r = 0; r < rounds; ++r) barrier.wait();
  clock.end(spans);
}

template <class Barrier>
void add_barrier(measuring& m, kernel_timer& timer, const char* probe, const launch_shape& shape) {
  const gpu_array<unsigned> words(static_cast<std::size_t>(shape.blocks) * flag_stride);
  measured_row row{"sync", probe, shape.threads};
  row.blocks = shape.blocks;
  m.add(row, [&](double rounds) {
    DWELL_CUDA(cudaMemsetAsync(words.data(), 0, words.size() * sizeof(unsigned), timer.stream()));
    return timer.run(shape, barrier_kernel<Barrier>, words.data(), static_cast<long long>(rounds));
  });
}

/// Blocks of a multiprocessor by threads of a block (Zhang 2023, figure 3.10).
template <class Barrier>
void measure_grid(measuring& m, const char* probe) {
  kernel_timer timer(m.request().here);
  for (int per_unit = 1; per_unit <= 32; per_unit *= 2)
    for (int threads = 32; threads <= 1024; threads *= 2) {
      int fit = 0;
      DWELL_CUDA(
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, barrier_kernel<Barrier>, threads, 0));
      if (fit < per_unit) continue;
      launch_shape shape{per_unit * m.request().here.units, threads};
      shape.cooperative = true;
      add_barrier<Barrier>(m, timer, probe, shape);
    }
}

template <class Barrier>
void measure_cluster(measuring& m, const char* probe) {
  kernel_timer timer(m.request().here);
  for (const int threads : {256, 512, 1024})
    for (int blocks = 2; blocks <= m.request().here.cluster_teams; blocks *= 2) {
      launch_shape shape{blocks, threads};
      shape.cluster = blocks;
      add_barrier<Barrier>(m, timer, probe, shape);
    }
}

}  // namespace

void measure_cluster_barrier(measuring& m) {
  measure_cluster<cluster_barrier<true>>(m, "cluster barrier");
}
void measure_dwell_cluster_barrier(measuring& m) {
  measure_cluster<dwell_cluster_barrier>(m, "dwell cluster barrier");
}
void measure_relaxed_cluster_barrier(measuring& m) {
  measure_cluster<cluster_barrier<false>>(m, "cluster barrier, relaxed");
}

void measure_cooperative_grid_barrier(measuring& m) {
  measure_grid<cooperative_barrier>(m, "cooperative grid barrier");
}
void measure_dwell_grid_barrier(measuring& m) {
  measure_grid<counter_barrier>(m, "dwell grid barrier");
}

void measure_ring_flags(measuring& m) {
  kernel_timer timer(m.request().here);
  for (const int threads : {256, 512, 1024}) {
    launch_shape shape{m.request().here.units, threads};
    shape.cooperative = true;
    add_barrier<ring_flags>(m, timer, "neighbour flags", shape);
  }
}

}  // namespace dwell::app
