// SPDX-License-Identifier: MIT
// Barriers of the threads of a block: of all of them, of some of them by name, and by an mbarrier
// in shared memory.
#include "studies/measure/cuda/repeated.cuh"

namespace dwell::app {

namespace {

using namespace gpu;

struct block_barrier {
  __device__ void step() { __syncthreads(); }
  __device__ unsigned value() const { return 0; }
};

/// A block of 1024 threads, of which so many and so many meet.
template <int Threads>
struct named_barrier {
  unsigned name = threadIdx.x / Threads;
  __device__ void step() {
    asm volatile("barrier.sync %0, %1;" ::"r"(name), "n"(Threads) : "memory");
  }
  __device__ unsigned value() const { return 0; }
};

/// All threads arrive, and wait for the phase to end.
struct shared_barrier {
  unsigned at, parity = 0;
  __device__ shared_barrier() {
    __shared__ unsigned long long word;
    at = static_cast<unsigned>(__cvta_generic_to_shared(&word));
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0)
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
#endif
  }
  __device__ void step() {
#if __CUDA_ARCH__ >= 900
    [[maybe_unused]] unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    asm volatile(
        "{\n.reg .pred done;\n"
        "again:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
            at),
        "r"(parity)
        : "memory");
    parity ^= 1;
#endif
  }
  __device__ unsigned value() const { return 0; }
};

measured_row row_of(const char* probe, int threads) {
  measured_row row{"sync", probe, threads};
  row.blocks = 1;
  row.amount = operations_of_round;
  return row;
}

template <class Barrier>
void measure_by_threads(measuring& m, const char* probe) {
  kernel_timer timer(m.request().here);
  for (int threads = 32; threads <= 1024; threads *= 2)
    add_repeated<Barrier>(m, timer, row_of(probe, threads), {1, threads});
}

/// Blocks that share a multiprocessor: warps that meet, of one multiprocessor (Zhang 2023, figure
/// 3.9).
void measure_throughput(measuring& m) {
  const int units = m.request().here.units, device = m.request().here.ordinal;
  int most_threads = 0, most_blocks = 0;
  DWELL_CUDA(cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  DWELL_CUDA(cudaDeviceGetAttribute(&most_blocks, cudaDevAttrMaxBlocksPerMultiprocessor, device));
  kernel_timer timer(m.request().here);
  for (int blocks = 1; blocks <= most_blocks; blocks *= 2)
    for (int threads = 32; threads <= 1024 && threads * blocks <= most_threads; threads *= 2) {
      measured_row row{"sync", block_throughput, threads};
      row.blocks = blocks * units;
      row.unit = measured_unit::operations_per_s;
      row.amount = operations_of_round * (threads / 32) * blocks;
      add_repeated<block_barrier>(m, timer, row, {row.blocks, threads});
    }
}

template <int... Threads>
void measure_named(measuring& m) {
  kernel_timer timer(m.request().here);
  (add_repeated<named_barrier<Threads>>(m, timer, row_of("named barrier", Threads), {1, 1024}),
   ...);
}

}  // namespace

void measure_block_barrier(measuring& m) { measure_by_threads<block_barrier>(m, "block barrier"); }
void measure_block_barrier_throughput(measuring& m) { measure_throughput(m); }
void measure_named_barrier(measuring& m) { measure_named<64, 128, 256, 512>(m); }
void measure_mbarrier(measuring& m) {
  if (m.request().here.compute_capability >= 90) measure_by_threads<shared_barrier>(m, "mbarrier");
}

}  // namespace dwell::app
