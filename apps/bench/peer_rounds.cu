// SPDX-License-Identifier: MIT
// Kernels and launches of rounds among peers.
#include "peer_rounds.hpp"

#include <algorithm>

#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"

namespace dwell::bench {
namespace {

__device__ peer_place& here(const peer_view& v) { return *v.places[v.me]; }

__device__ unsigned add_acq_rel(unsigned* p, unsigned v) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(p), "r"(v)
               : "memory");
  return before;
}
__device__ void release_on_gpu(unsigned* p, unsigned v) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ unsigned acquire_on_gpu(const unsigned* p) {
  unsigned v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ void release_to_all(unsigned* p, unsigned v) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ unsigned acquire_from_all(const unsigned* p) {
  unsigned v;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ unsigned long long nanoseconds() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

/// Waits of one lane. The first that takes too long is noted, and none waits from then on: a kernel
/// whose peers are not there ends.
class bounded_waits {
 public:
  __device__ explicit bounded_waits(const peer_view& v)
      : late_(&here(v).late), limit_(v.limit_ns) {}
  template <class Condition>
  __device__ void until(Condition&& come) {
    if (over_) return;
    unsigned long long begin = 0;
    for (unsigned k = 1; !come(); ++k) {
      if (k % 1024 != 0) continue;
      const unsigned long long now = nanoseconds();
      if (begin == 0) begin = now;
      if (now - begin <= limit_) continue;
      atomicAdd(late_, 1u);
      over_ = true;
      return;
    }
  }

 private:
  unsigned* late_;
  unsigned long long limit_;
  bool over_ = false;
};

/// By one warp: every peer's flag for this one, and then this one's wait for all of theirs.
__device__ void tell_and_await(const peer_view& v, unsigned round, bounded_waits& waits) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane < v.peers) {
    release_to_all(&v.places[lane]->flags[v.me].value, round);
    const unsigned* theirs = &here(v).flags[lane].value;
    waits.until([&] { return static_cast<int>(acquire_from_all(theirs) - round) >= 0; });
  }
  __syncwarp();
}

/// All blocks of all peers meet. The last block to come on a GPU speaks for it: its first warp
/// calls `exchange`, after which all others go on. Rounds count from 1.
template <class Exchange>
__device__ void barrier(const peer_view& v, unsigned round, bounded_waits& waits,
                        Exchange&& exchange) {
  peer_place& own = here(v);
  __syncthreads();
  if (threadIdx.x < 32) {
    unsigned before = 0;
    if (threadIdx.x == 0) before = add_acq_rel(&own.arrived.value, 1);
    before = __shfl_sync(~0u, before, 0);
    __syncwarp();  // what lane 0 has acquired is there for all
    if (before + 1 == round * gridDim.x) {
      exchange();
      if (threadIdx.x == 0) release_on_gpu(&own.go.value, round);
    } else if (threadIdx.x == 0) {
      waits.until([&] { return static_cast<int>(acquire_on_gpu(&own.go.value) - round) >= 0; });
    }
  }
  __syncthreads();
}

__global__ void barrier_rounds(peer_view v, int rounds) {
  bounded_waits waits(v);
  for (unsigned r = 1; r <= static_cast<unsigned>(rounds); ++r)
    barrier(v, r, waits, [&] { tell_and_await(v, r, waits); });
}

__global__ void watched_rounds(peer_view v, int rounds) {
  bounded_waits waits(v);
  for (unsigned r = 1; r <= static_cast<unsigned>(rounds); ++r) {
    if (threadIdx.x == blockDim.x - 1) here(v).seen[blockIdx.x] = r;
    barrier(v, r, waits, [&] { tell_and_await(v, r, waits); });
    const auto looks_at = [&](const peer_place& there, unsigned block) {
      unsigned seen;
      asm volatile("ld.relaxed.sys.global.u32 %0, [%1];"
                   : "=r"(seen)
                   : "l"(there.seen + block)
                   : "memory");
      if (seen < r) atomicAdd(&here(v).early, 1u);
    };
    if (static_cast<int>(threadIdx.x) < v.peers) {
      looks_at(*v.places[threadIdx.x], blockIdx.x);
      looks_at(here(v), (blockIdx.x + 1) % gridDim.x);
    }
  }
}

__global__ void nothing() {}

__global__ void fill(double* x, std::size_t n, int me) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n;
       i += std::size_t(gridDim.x) * blockDim.x)
    x[i] = static_cast<double>(i % 8) + me;
}

/// By one warp, to lane 0: lane l adds values l, l + 32, ..., then halves.
__device__ double warp_sum(double s) {
  for (int h = 16; h > 0; h /= 2) s += __shfl_down_sync(~0u, s, h);
  return s;
}
__device__ double sum_of_partials(const double* partials) {
  double s = 0.0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += 32) s += __ldcg(partials + i);
  return warp_sum(s);
}

/// This block's share of n values, an even number, to lane 0; always in the same order.
__device__ double sum_of_block(const double* x, std::size_t n) {
  const auto* pairs = reinterpret_cast<const double2*>(x);
  const std::size_t end = n / 2, stride = std::size_t(gridDim.x) * blockDim.x;
  std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  double s[4] = {};
  for (; i + 3 * stride < end; i += 4 * stride) {
    double2 p[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) p[k] = pairs[i + static_cast<std::size_t>(k) * stride];
#pragma unroll
    for (int k = 0; k < 4; ++k) s[k] += p[k].x + p[k].y;
  }
  for (; i < end; i += stride) s[0] += pairs[i].x + pairs[i].y;
  __shared__ double of_warps[sum_lanes / 32];
  const double w = warp_sum((s[0] + s[1]) + (s[2] + s[3]));
  __syncthreads();  // the first warp may still read those of the round before
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = w;
  __syncthreads();
  return threadIdx.x < 32 ? warp_sum(threadIdx.x < blockDim.x / 32 ? of_warps[threadIdx.x] : 0.0)
                          : 0.0;
}

__global__ void __launch_bounds__(sum_lanes, 1)
    sum_rounds(peer_view v, const double* x, std::size_t n, int rounds) {
  bounded_waits waits(v);
  peer_place& own = here(v);
  double all = 0.0;
  for (unsigned r = 1; r <= static_cast<unsigned>(rounds); ++r) {
    const double block = sum_of_block(x, n);
    if (threadIdx.x == 0) own.partials[r % 2][blockIdx.x] = block;
    barrier(v, r, waits, [&] {
      const double mine = __shfl_sync(~0u, sum_of_partials(own.partials[r % 2]), 0) + r;
      const int lane = static_cast<int>(threadIdx.x);
      if (lane < v.peers) __stcg(&v.places[lane]->values[r % 2][v.me], mine);
      tell_and_await(v, r, waits);
      const double theirs = lane < v.peers ? __ldcv(&own.values[r % 2][lane]) : 0.0;
      double sum = 0.0;
      for (int p = 0; p < v.peers; ++p) sum += __shfl_sync(~0u, theirs, p);
      if (lane == 0) own.result[r % 2] = sum;
      __syncwarp();
    });
    if (threadIdx.x == 0) all += __ldcg(&own.result[r % 2]);
  }
  if (threadIdx.x == 0) own.sums[blockIdx.x] = all;
}

__global__ void __launch_bounds__(sum_lanes, 1)
    sum_once(peer_place* here, const double* x, std::size_t n, double* to) {
  const double block = sum_of_block(x, n);
  if (threadIdx.x >= 32) return;
  unsigned before = 0;
  if (threadIdx.x == 0) {
    here->partials[0][blockIdx.x] = block;
    before = add_acq_rel(&here->arrived.value, 1);
  }
  before = __shfl_sync(~0u, before, 0);
  if (before + 1 != gridDim.x) return;
  __syncwarp();
  const double mine = sum_of_partials(here->partials[0]);
  if (threadIdx.x != 0) return;
  here->arrived.value = 0;
  *to = mine + ++here->launches;
}

__global__ void add_up(peer_place* here, const double* parts, int count) {
  double sum = 0.0;
  for (int p = 0; p < count; ++p) sum += parts[p];
  here->total += sum;
}

template <class... Args, class... Given>
void launch_peer(const peer_launch& by, void (*kernel)(Args...), const Given&... a) {
  if (by.cooperative)
    cuda::launch_together(kernel, by.blocks, by.lanes, 0, by.stream, false, a...);
  else
    kernel<<<by.blocks, by.lanes, 0, by.stream>>>(a...);
  DWELL_CUDA(cudaGetLastError());
}

template <class Kernel>
int blocks_per_unit(Kernel kernel, int lanes) {
  int n = 0;
  DWELL_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, lanes, 0));
  return n;
}

}  // namespace

void load_peer_kernels() {
  (void)cuda::loaded(barrier_rounds), (void)cuda::loaded(watched_rounds);
  (void)cuda::loaded(sum_rounds), (void)cuda::loaded(sum_once), (void)cuda::loaded(add_up);
  (void)cuda::loaded(nothing), (void)cuda::loaded(fill);
}
int barrier_blocks_per_unit(int lanes) {
  return std::min(blocks_per_unit(barrier_rounds, lanes), blocks_per_unit(watched_rounds, lanes));
}
int summing_blocks_per_unit() { return blocks_per_unit(sum_rounds, sum_lanes); }

void run_peer_barriers(const peer_launch& launch, const peer_view& v, int rounds, bool watched) {
  launch_peer(launch, watched ? watched_rounds : barrier_rounds, v, rounds);
}
void sum_with_peers(const peer_launch& launch, const peer_view& v, const double* x, std::size_t n,
                    int rounds) {
  launch_peer(launch, sum_rounds, v, x, n, rounds);
}
void launch_nothing(cudaStream_t stream) {
  nothing<<<1, 32, 0, stream>>>();
  DWELL_CUDA(cudaGetLastError());
}
void fill_values(double* x, std::size_t n, int me, cudaStream_t stream) {
  fill<<<1024, 256, 0, stream>>>(x, n, me);
  DWELL_CUDA(cudaGetLastError());
}
void sum_part(peer_place* here, const double* x, std::size_t n, int blocks, double* to,
              cudaStream_t stream) {
  sum_once<<<blocks, sum_lanes, 0, stream>>>(here, x, n, to);
  DWELL_CUDA(cudaGetLastError());
}
void add_parts(peer_place* here, const double* parts, int count, cudaStream_t stream) {
  add_up<<<1, 1, 0, stream>>>(here, parts, count);
  DWELL_CUDA(cudaGetLastError());
}

}  // namespace dwell::bench
