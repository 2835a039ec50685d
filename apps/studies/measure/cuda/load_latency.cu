// SPDX-License-Identifier: MIT
// Latency of loads each of which gives the address of the next one, in an order by chance: of
// device memory and its caches by footprint, of shared memory, and of the shared memory of another
// block of a cluster.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "studies/measure/cuda/kernel_timer.hpp"

namespace dwell::app {

namespace {

using namespace gpu;

/// A line of the caches, which begins with the number of the next one.
constexpr std::size_t line = 128;
/// Words of a chain in shared memory: 16 KiB.
constexpr int shared_words = 4096;
/// Up to so many links each launch goes over the chain once before: it may fit into the cache of
/// the multiprocessor that the launch happens to take.
constexpr long long first_pass_links = 1 << 11;

/// One cycle through all n, by chance (Sattolo's algorithm), the same in every run: its link k
/// leads to the k-th element.
std::vector<std::uint32_t> cycle_by_chance(std::size_t n) {
  std::vector<std::uint32_t> next(n);
  std::iota(next.begin(), next.end(), 0u);
  std::minstd_rand chance(1);
  for (std::size_t k = n - 1; k > 0; --k) std::swap(next[k], next[chance() % k]);
  return next;
}

__global__ void link_kernel(char* lines, const std::uint32_t* next, std::size_t n) {
  for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
    *reinterpret_cast<char**>(lines + k * line) = lines + next[k] * line;
}

/// A line of which a part was written is not in L2: it is there once it has been read.
__global__ void read_kernel(const char* lines, std::size_t n) {
  for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    unsigned long long v;
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(lines + k * line) : "memory");
    pin(v);
  }
}

__device__ char* follow(char* at, long long loads) {
#pragma unroll 16
  for (long long k = 0; k < loads; ++k)
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
  return at;
}

__global__ void follow_kernel(kernel_span* spans, char** begin, long long before, long long loads) {
  char* at = follow(*begin, before);
  const span_clock clock;
  at = follow(at, loads);
  pin(at);
  clock.end(spans);
  *begin = at;
}

/// `rank`: the block of the cluster whose shared memory is read, by block 0.
__global__ void follow_shared_kernel(kernel_span* spans, const std::uint32_t* next, unsigned rank,
                                     long long loads, unsigned* never) {
  __shared__ unsigned words[shared_words];
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(words));
  unsigned here = base, there = base;  // addresses that a block of the cluster uses
#if __CUDA_ARCH__ >= 900
  if (gridDim.x > 1) {
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(here) : "r"(base), "r"(blockIdx.x));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(base), "r"(rank));
  }
#endif
  for (unsigned k = threadIdx.x; k < shared_words; k += blockDim.x) words[k] = here + next[k] * 4;
  __syncthreads();
#if __CUDA_ARCH__ >= 900
  if (gridDim.x > 1)
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#endif
  unsigned at = there;
  const span_clock clock;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    if (gridDim.x == 1) {
#pragma unroll 16
      for (long long k = 0; k < loads; ++k)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    } else {
#if __CUDA_ARCH__ >= 900
#pragma unroll 16
      for (long long k = 0; k < loads; ++k)
        asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(at)::"memory");
#endif
    }
  }
  pin(at);
  clock.end(spans);
  if (never) *never = at;
#if __CUDA_ARCH__ >= 900
  if (gridDim.x > 1)  // the memory of a block must stay until it has been read
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#endif
}

void add_load(measuring& m, kernel_timer& timer, double footprint) {
  const auto n = std::max<std::size_t>(2, static_cast<std::size_t>(footprint) / line);
  const gpu_array<char> lines(n * line);
  const gpu_array<char*> at(1);
  {
    const auto next = cycle_by_chance(n);
    const gpu_array<std::uint32_t> order(n);
    order.fill(next.data());
    char* const first = lines.data();
    at.fill(&first);
    link_kernel<<<256, 256, 0, timer.stream()>>>(lines.data(), order.data(), n);
    DWELL_CUDA(cudaGetLastError());
    read_kernel<<<256, 256, 0, timer.stream()>>>(lines.data(), n);
    DWELL_CUDA(cudaGetLastError());
    DWELL_CUDA(cudaStreamSynchronize(timer.stream()));
  }
  const auto links = static_cast<long long>(n);
  measured_row row{"latency", "load", 1, static_cast<double>(n * line)};
  row.blocks = 1;
  m.add(row, [&](double loads) {
    return timer.run({1, 1}, follow_kernel, at.data(), links <= first_pass_links ? links : 0,
                     static_cast<long long>(loads));
  });
}

void add_shared_load(measuring& m, const char* probe, int cluster, unsigned rank) {
  kernel_timer timer(m.request().here);
  const auto next = cycle_by_chance(shared_words);
  const gpu_array<std::uint32_t> order(shared_words);
  order.fill(next.data());
  launch_shape shape{std::max(1, cluster), 32};
  shape.cluster = cluster;
  measured_row row{"latency", probe, 1, shared_words * 4.0};
  row.blocks = shape.blocks;
  m.add(row, [&](double loads) {
    return timer.run(shape, follow_shared_kernel, order.data(), rank, static_cast<long long>(loads),
                     nullptr);
  });
}

}  // namespace

void measure_cuda_load(measuring& m) {
  kernel_timer timer(m.request().here);
  // Linking more takes longer than what is to be learnt there.
  const double most = m.request().full ? m.request().most_footprint : 256.0 * (1 << 20);
  for (const double footprint : m.footprints(most)) add_load(m, timer, footprint);
}
void measure_shared_load(measuring& m) { add_shared_load(m, "shared load", 0, 0); }
void measure_distributed_shared_load(measuring& m) {
  if (m.request().here.cluster_teams < 2) return;
  for (int cluster = 2; cluster <= m.request().here.cluster_teams; cluster *= 2)
    add_shared_load(m, "distributed shared load", cluster, static_cast<unsigned>(cluster - 1));
}

}  // namespace dwell::app
