// SPDX-License-Identifier: MIT
// Copies of device memory through shared memory by what is under way: by cp.async, loads of each
// thread in a pipeline; by the bulk copy engine, chunks that one thread of a block asks for.
#include <cstdint>

#include "measure/cuda/concurrency.hpp"
#include "measure/cuda/kernel_timer.hpp"

namespace dwell::app {

namespace {

using namespace gpu;

__device__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

template <class T>
__device__ void begin_copy(T* to_shared, const T* from) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to_shared)),
                 "l"(from)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to_shared)),
                 "l"(from), "n"(sizeof(T))
                 : "memory");
#endif
}
__device__ void end_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// All groups but the last `Left` are there.
template <int Left>
__device__ void wait_groups() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
#endif
}

/// A thread reads what it loaded itself, so threads do not meet. n is a multiple of what all
/// threads take at a time.
template <class T, int Loads>
__global__ void __launch_bounds__(1024, 2)
    asynchronous_kernel(kernel_span* spans, const T* from, T* to, std::size_t n,
                        long long passes) {
  extern __shared__ uint4 dynamic[];
  T* const mine = reinterpret_cast<T*>(dynamic) + threadIdx.x;
  const std::size_t stride = gridDim.x * blockDim.x;
  const std::size_t first = blockIdx.x * blockDim.x + threadIdx.x;
  const span_clock clock;
  for (long long p = 0; p < passes; ++p) {
#pragma unroll
    for (int u = 0; u < Loads; ++u) {
      begin_copy(mine + u * blockDim.x, from + first + u * stride);
      end_group();
    }
#pragma unroll 1
    for (std::size_t k = first; k < n; k += Loads * stride)
#pragma unroll
      for (int u = 0; u < Loads; ++u) {
        wait_groups<Loads - 1>();
        const T v = mine[u * blockDim.x];
        const std::size_t next = k + (u + Loads) * stride;
        if (next < n) begin_copy(mine + u * blockDim.x, from + next);
        end_group();
        __stcg(to + k + u * stride, v);
      }
  }
  clock.end(spans);
}

template <class T, int Loads>
void add_asynchronous(measuring& m, kernel_timer& timer, const concurrency_arrays& arrays) {
  if (Loads > most_loads(m)) return;
  for (const int threads : threads_of_unit(m)) {
    auto c = case_of(m, "asynchronous copy", threads, Loads, sizeof(T), true);
    c.shape.shared_bytes = static_cast<std::size_t>(c.shape.threads * Loads) * sizeof(T);
    if (c.shape.shared_bytes > m.request().here.shared_per_team / (threads > 1024 ? 2 : 1)) continue;
    m.add(c.row, [&](double passes) {
      return timer.run(c.shape, asynchronous_kernel<T, Loads>,
                       reinterpret_cast<const T*>(arrays.from.data()),
                       reinterpret_cast<T*>(arrays.to.data()), c.elements,
                       static_cast<long long>(passes));
    });
  }
}

template <class T>
void add_type(measuring& m, kernel_timer& timer, const concurrency_arrays& arrays) {
  add_asynchronous<T, 1>(m, timer, arrays);
  add_asynchronous<T, 2>(m, timer, arrays);
  add_asynchronous<T, 4>(m, timer, arrays);
  add_asynchronous<T, 8>(m, timer, arrays);
  add_asynchronous<T, 16>(m, timer, arrays);
}

constexpr int most_chunks = 16;

/// Chunk k of the block: load into slot k % chunks, wait, store from there; the slot before it is
/// loaded anew once its store has read it.
__global__ void __launch_bounds__(32)
    bulk_kernel(kernel_span* spans, const char* from, char* to, unsigned chunk, int chunks,
                std::size_t n, long long passes) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 dynamic[];
  __shared__ unsigned long long full[most_chunks];
  if (threadIdx.x == 0)
    for (int s = 0; s < chunks; ++s)
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(full + s)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  const span_clock clock;
  if (threadIdx.x == 0) {
    const unsigned slots = shared_address(dynamic);
    const std::size_t of_block = n / gridDim.x / chunk;
    const auto load = [&](std::size_t k, int slot) {
      const char* const at = from + (k * gridDim.x + blockIdx.x) * chunk;
      const unsigned barrier = shared_address(full + slot);
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(chunk)
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
          ::"r"(slots + slot * chunk), "l"(at), "r"(chunk), "r"(barrier)
          : "memory");
    };
    unsigned parity = 0;
    for (long long p = 0; p < passes; ++p) {
      for (int s = 0; s < chunks; ++s) load(s, s);
      int slot = 0;
      for (std::size_t k = 0; k < of_block; ++k) {
        asm volatile(
            "{\n.reg .pred done;\n"
            "again:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra again;\n}"
            ::"r"(shared_address(full + slot)), "r"(parity)
            : "memory");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         to + (k * gridDim.x + blockIdx.x) * chunk),
                     "r"(slots + slot * chunk), "r"(chunk)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        if (chunks == 1) {
          asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
          if (k + 1 < of_block) load(k + 1, 0);
        } else if (k > 0) {
          asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
          const int before = slot > 0 ? slot - 1 : chunks - 1;
          if (k - 1 + chunks < of_block) load(k - 1 + chunks, before);
        }
        if (++slot == chunks) slot = 0, parity ^= 1;
      }
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
  }
  clock.end(spans);
#endif
}

void add_bulk(measuring& m, kernel_timer& timer, const concurrency_arrays& arrays, int chunks,
              std::size_t chunk) {
  auto c = case_of(m, "bulk copy", 1, chunks, chunk, true);
  c.shape.threads = 32;  // one of which asks
  c.shape.shared_bytes = static_cast<std::size_t>(chunks) * chunk;
  m.add(c.row, [&](double passes) {
    return timer.run(c.shape, bulk_kernel, arrays.from.data(), arrays.to.data(),
                     static_cast<unsigned>(chunk), chunks, c.elements * chunk,
                     static_cast<long long>(passes));
  });
}

}  // namespace

void measure_asynchronous_copy(measuring& m) {
  if (m.request().here.compute_capability < 80) return;
  kernel_timer timer(m.request().here);
  const concurrency_arrays arrays(m);
  add_type<unsigned>(m, timer, arrays);
  add_type<uint2>(m, timer, arrays);
  add_type<uint4>(m, timer, arrays);
}

void measure_bulk_copy(measuring& m) {
  if (m.request().here.compute_capability < 90) return;
  kernel_timer timer(m.request().here);
  const concurrency_arrays arrays(m);
  for (std::size_t chunk = 1024; chunk <= 16384; chunk *= 2)
    for (int chunks = 1; chunks <= most_loads(m); chunks *= 2)
      if (chunks * chunk <= m.request().here.shared_per_team - 1024)
        add_bulk(m, timer, arrays, chunks, chunk);
}

}  // namespace dwell::app
