// SPDX-License-Identifier: MIT
// Bandwidth of reading and of copying by footprint: L2 and device memory, gone over by all blocks
// again and again; the caches and shared memories of the multiprocessors; what one of them draws.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "studies/measure/cuda/kernel_timer.hpp"
#include "studies/measure/cuda/loads.cuh"

namespace dwell::app {

namespace {

using namespace gpu;

constexpr int threads = 1024;
/// Loads that a thread has under way, of 16 bytes: 128 KiB of a multiprocessor, far more than it
/// needs (group concurrency).
constexpr int loads = 8;

__device__ uint4 load_through_l1(const uint4* at) {
  uint4 v;
  asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(at)
               : "memory");
  return v;
}
__device__ uint4 load_shared(unsigned at) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(at)
               : "memory");
  return v;
}
__device__ void store_shared(unsigned at, const uint4& v) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v.x), "r"(v.y), "r"(v.z),
               "r"(v.w)
               : "memory");
}

/// The elements of a thread, `loads` of them at a time: take(k) of all, then use(k, value).
template <class Take, class Use>
__device__ void go_over(std::size_t begin, std::size_t stride, std::size_t n, Take&& take,
                        Use&& use) {
  std::size_t k = begin;
  for (; k + (loads - 1) * stride < n; k += loads * stride) {
    uint4 v[loads];
#pragma unroll
    for (int u = 0; u < loads; ++u) v[u] = take(k + u * stride);
#pragma unroll
    for (int u = 0; u < loads; ++u) use(k + u * stride, v[u]);
  }
  for (; k < n; k += stride) use(k, take(k));
}

struct sum_of_words {
  unsigned sum = 0;
  __device__ void operator()(std::size_t, const uint4& v) { sum += word(v); }
};

__global__ void __launch_bounds__(threads, 1)
    read_kernel(kernel_span* spans, const uint4* from, std::size_t n, long long passes,
                unsigned* never) {
  const span_clock clock;
  sum_of_words sum;
  for (long long p = 0; p < passes; ++p)
    go_over(
        blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x, n,
        [&](std::size_t k) { return load_through_l2(from + k); }, sum);
  pin(sum.sum);
  clock.end(spans);
  if (never) *never = sum.sum;
}

__global__ void __launch_bounds__(threads, 1)
    copy_kernel(kernel_span* spans, const uint4* from, uint4* to, std::size_t n, long long passes) {
  const span_clock clock;
  for (long long p = 0; p < passes; ++p)
    go_over(
        blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x, n,
        [&](std::size_t k) { return load_through_l2(from + k); },
        [&](std::size_t k, const uint4& v) { __stcg(to + k, v); });
  clock.end(spans);
}

/// Each block reads n elements of its own.
__global__ void __launch_bounds__(threads, 1)
    read_own_kernel(kernel_span* spans, const uint4* from, std::size_t n, long long passes,
                    unsigned* never) {
  const uint4* const own = from + blockIdx.x * n;
  const span_clock clock;
  sum_of_words sum;
  for (long long p = 0; p < passes; ++p)
    go_over(
        threadIdx.x, blockDim.x, n, [&](std::size_t k) { return load_through_l1(own + k); }, sum);
  pin(sum.sum);
  clock.end(spans);
  if (never) *never = sum.sum;
}

/// n elements of 16 bytes; copies: from the first half to the second.
template <bool Copies>
__global__ void __launch_bounds__(threads, 1)
    shared_kernel(kernel_span* spans, std::size_t n, long long passes, unsigned* never) {
  extern __shared__ uint4 words[];
  const auto base = static_cast<unsigned>(__cvta_generic_to_shared(words));
  for (std::size_t k = threadIdx.x; k < n; k += blockDim.x) words[k] = uint4{1, 2, 3, 4};
  __syncthreads();
  const span_clock clock;
  sum_of_words sum;
  for (long long p = 0; p < passes; ++p)
    go_over(
        threadIdx.x, blockDim.x, Copies ? n / 2 : n,
        [&](std::size_t k) { return load_shared(base + static_cast<unsigned>(k) * 16); },
        [&](std::size_t k, const uint4& v) {
          if constexpr (Copies)
            store_shared(base + static_cast<unsigned>(k + n / 2) * 16, v);
          else
            sum(k, v);
        });
  pin(sum.sum);
  clock.end(spans);
  if (never) *never = sum.sum;
}

/// By doubling, and in steps of an eighth of L2 around its size.
std::vector<double> footprints_around_l2(const measuring& m) {
  auto all = m.footprints(m.request().most_footprint);
  const double step = static_cast<double>(m.request().here.l2) / 8, most = all.back();
  for (int k = 3; k <= 12; ++k) {
    const double bytes = std::floor(k * step / 8192) * 8192;
    if (bytes < most) all.push_back(bytes);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Returns as many blocks as there is work for.
int blocks_for(const measuring& m, std::size_t elements) {
  const auto most = static_cast<std::size_t>(m.request().here.units);
  return static_cast<int>(std::clamp<std::size_t>((elements + threads - 1) / threads, 1, most));
}

measured_row row_of(const char* probe, int blocks, double bytes) {
  measured_row row{"memory", probe, threads, bytes, measured_unit::bytes_per_s, bytes};
  row.blocks = blocks;
  return row;
}

void add_read(measuring& m, kernel_timer& timer, const gpu_array<uint4>& from, double footprint,
              int blocks) {
  const auto n = static_cast<std::size_t>(footprint) / sizeof(uint4);
  m.add(row_of("read", blocks, static_cast<double>(n * sizeof(uint4))), [&](double passes) {
    return timer.run({blocks, threads}, read_kernel, from.data(), n, static_cast<long long>(passes),
                     nullptr);
  });
}

template <bool Copies>
void measure_shared(measuring& m, const char* probe) {
  kernel_timer timer(m.request().here);
  const int units = m.request().here.units;
  // All threads have the same number of elements, in both halves.
  constexpr std::size_t together = 2 * threads;
  const std::size_t n = m.request().here.shared_per_team / (together * sizeof(uint4)) * together;
  const launch_shape shape{units, threads, n * sizeof(uint4)};
  m.add(row_of(probe, units, static_cast<double>(n * sizeof(uint4)) * units), [&](double passes) {
    return timer.run(shape, shared_kernel<Copies>, n, static_cast<long long>(passes), nullptr);
  });
}

}  // namespace

void measure_cuda_read(measuring& m) {
  kernel_timer timer(m.request().here);
  const auto all = footprints_around_l2(m);
  const gpu_array<uint4> from(static_cast<std::size_t>(all.back()) / sizeof(uint4));
  from.clear();
  for (const double footprint : all)
    add_read(m, timer, from, footprint,
             blocks_for(m, static_cast<std::size_t>(footprint) / sizeof(uint4)));
  // Through L2 by one multiprocessor.
  add_read(m, timer, from, std::min(all.back(), 0.25 * static_cast<double>(m.request().here.l2)),
           1);
}

void measure_cuda_copy(measuring& m) {
  kernel_timer timer(m.request().here);
  const auto all = footprints_around_l2(m);
  const std::size_t most = static_cast<std::size_t>(all.back()) / 2 / sizeof(uint4);
  const gpu_array<uint4> from(most), to(most);
  from.clear();
  for (const double footprint : all) {
    const auto n = static_cast<std::size_t>(footprint) / 2 / sizeof(uint4);
    const int blocks = blocks_for(m, n);
    m.add(row_of("copy", blocks, 2.0 * static_cast<double>(n * sizeof(uint4))), [&](double passes) {
      return timer.run({blocks, threads}, copy_kernel, from.data(), to.data(), n,
                       static_cast<long long>(passes));
    });
  }
}

void measure_l1_read(measuring& m) {
  kernel_timer timer(m.request().here);
  const int units = m.request().here.units;
  // Sizes up to all caches and shared memories of multiprocessors together.
  for (std::size_t kib = 64; kib <= m.request().here.shared_per_unit / 1024 + 32; kib += 64) {
    const std::size_t n = kib * 1024 / sizeof(uint4);
    const gpu_array<uint4> from(n * static_cast<std::size_t>(units));
    from.clear();
    m.add(row_of("read through L1", units, static_cast<double>(kib * 1024) * units),
          [&](double passes) {
            return timer.run({units, threads}, read_own_kernel, from.data(), n,
                             static_cast<long long>(passes), nullptr);
          });
  }
}

void measure_shared_read(measuring& m) { measure_shared<false>(m, "shared read"); }
void measure_shared_copy(measuring& m) { measure_shared<true>(m, "shared copy"); }

}  // namespace dwell::app
