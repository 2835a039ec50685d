// SPDX-License-Identifier: MIT
// Copies of device memory through shared memory by what is under way: by cp.async, loads of each
// thread in a pipeline; by the bulk copy engine, chunks that one thread of a block asks for.
#include <cstdint>

#include "studies/measure/cuda/concurrency.hpp"
#include "studies/measure/cuda/kernel_timer.hpp"

namespace dwell::app {

namespace {

using namespace gpu;

[[maybe_unused]] __device__ unsigned shared_address(const void* at) {
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
    asynchronous_kernel(kernel_span* spans, const T* from, T* to, std::size_t n, long long passes) {
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
    auto c = case_of(m, "asynchronous copy", threads, Loads, sizeof(T), true,
                     concurrency_arrays::half(m));
    c.shape.shared_bytes = static_cast<std::size_t>(c.shape.threads * Loads) * sizeof(T);
    if (c.shape.shared_bytes > m.request().here.shared_per_team / (threads > 1024 ? 2 : 1))
      continue;
    m.add(c.row, [&](double passes) {
      return timer.run(
          c.shape, asynchronous_kernel<T, Loads>, reinterpret_cast<const T*>(arrays.from.data()),
          reinterpret_cast<T*>(arrays.to.data()), c.elements, static_cast<long long>(passes));
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

[[maybe_unused]] constexpr int most_slots = 17;

/// Chunk k of the block: wait for it in slot k % slots, store it from there, and load chunk
/// k + slots - 1 into the slot before, once the store from that has read it. So slots - 1 chunks
/// are being loaded. Passes follow each other without a gap.
__global__ void __launch_bounds__(32)
    bulk_kernel(kernel_span* spans, const char* from, char* to, unsigned chunk, int slots,
                std::size_t n, long long passes) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 dynamic[];
  __shared__ unsigned long long full[most_slots];
  if (threadIdx.x == 0)
    for (int s = 0; s < slots; ++s)
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(full + s)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  const span_clock clock;
  if (threadIdx.x == 0) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * chunk;
    const auto load = [&](std::size_t at, int slot) {
      const unsigned barrier = shared_address(full + slot);
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(chunk)
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(shared_address(dynamic) + slot * chunk),
          "l"(from + at), "r"(chunk), "r"(barrier)
          : "memory");
    };
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * chunk;
    const long long all = passes * static_cast<long long>(n / stride);
    std::size_t ahead = first, at = first;
    const auto next = [&](std::size_t& place) {
      place += stride;
      if (place >= n) place = first;
    };
    for (int s = 0; s < slots - 1; ++s, next(ahead)) load(ahead, s);
    int slot = 0;
    unsigned parity = 0;
    for (long long k = 0; k < all; ++k, next(at)) {
      asm volatile(
          "{\n.reg .pred done;\n"
          "again:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
              shared_address(full + slot)),
          "r"(parity)
          : "memory");
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + at),
                   "r"(shared_address(dynamic) + slot * chunk), "r"(chunk)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
      if (k + slots - 1 < all) {
        load(ahead, slot > 0 ? slot - 1 : slots - 1);
        next(ahead);
      }
      if (++slot == slots) slot = 0, parity ^= 1;
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  clock.end(spans);
#endif
}

void add_bulk(measuring& m, kernel_timer& timer, const concurrency_arrays& arrays, int chunks,
              std::size_t chunk) {
  auto c = case_of(m, "bulk copy", 1, chunks, chunk, true, concurrency_arrays::half(m));
  const int slots = chunks + 1;
  c.shape.threads = 32;  // one of which asks
  c.shape.shared_bytes = static_cast<std::size_t>(slots) * chunk;
  if (c.shape.shared_bytes + 1024 > m.request().here.shared_per_team) return;
  m.add(c.row, [&](double passes) {
    return timer.run(c.shape, bulk_kernel, arrays.from.data(), arrays.to.data(),
                     static_cast<unsigned>(chunk), slots, c.elements * chunk,
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
      add_bulk(m, timer, arrays, chunks, chunk);
}

}  // namespace dwell::app
