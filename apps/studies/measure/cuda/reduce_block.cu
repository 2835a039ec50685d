// SPDX-License-Identifier: MIT
// Sums of doubles in shared memory by one thread, a warp, or a block of 64 to 1024 threads: from
// which size on more threads are worth their barriers (Zhang 2023, section 3.6.1).
#include "studies/measure/cuda/kernel_timer.hpp"
#include "studies/measure/reductions.hpp"

namespace dwell::app {

namespace {

using namespace gpu;

constexpr int most_doubles = 4096;  // 32 KiB

/// The sum of n doubles, to thread 0. Of one thread there is nothing to meet.
template <int Threads>
__device__ double sum_of(const double* v, int n, double* of_warp) {
  constexpr int warps = Threads / 32;
  const int thread = static_cast<int>(threadIdx.x);
  double sum = 0;
#pragma unroll 4
  for (int k = thread; k < n; k += Threads) sum += v[k];
  if constexpr (Threads >= 32) {
#pragma unroll
    for (int h = 16; h > 0; h /= 2) sum += __shfl_down_sync(~0u, sum, h);
  }
  if constexpr (warps > 1) {
    if (thread % 32 == 0) of_warp[thread / 32] = sum;
    __syncthreads();
    if (thread < 32) {
      sum = thread < warps ? of_warp[thread] : 0;
#pragma unroll
      for (int h = 16; h > 0; h /= 2) sum += __shfl_down_sync(~0u, sum, h);
    }
    __syncthreads();  // before it is written again
  }
  return sum;
}

/// Each sum changes an element that the next one has.
template <int Threads>
__global__ void __launch_bounds__(Threads)
    block_sum_kernel(kernel_span* spans, int n, long long rounds, double* never) {
  __shared__ double v[most_doubles];
  __shared__ double of_warp[32];
  for (int k = static_cast<int>(threadIdx.x); k < n; k += Threads) v[k] = 1e-3 * k;
  __syncthreads();
  const span_clock clock;
#pragma unroll 1
  for (long long r = 0; r < rounds; ++r) {
    const double sum = sum_of<Threads>(v, n, of_warp);
    if (threadIdx.x == 0) v[0] = 1e-9 * sum;
    if constexpr (Threads > 1) __syncwarp();
  }
  __syncthreads();
  clock.end(spans);
  if (never) *never = v[0];
}

template <int Threads>
void add_sums_by(measuring& m, kernel_timer& timer) {
  for (int n = 1; n <= most_doubles; n *= 2) {
    measured_row row{"reductions", block_sums, Threads, 8.0 * n};
    row.blocks = 1;
    row.access = sizeof(double);
    m.add(row, [&](double rounds) {
      return timer.run({1, Threads}, block_sum_kernel<Threads>, n, static_cast<long long>(rounds),
                       nullptr);
    });
  }
}

}  // namespace

void measure_reduce_block(measuring& m) {
  kernel_timer timer(m.request().here);
  add_sums_by<1>(m, timer);
  add_sums_by<32>(m, timer);
  add_sums_by<64>(m, timer);
  add_sums_by<128>(m, timer);
  add_sums_by<256>(m, timer);
  add_sums_by<512>(m, timer);
  add_sums_by<1024>(m, timer);
}

}  // namespace dwell::app
