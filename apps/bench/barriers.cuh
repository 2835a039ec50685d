// SPDX-License-Identifier: MIT
// Ways in which blocks meet. wait(round, mine) is called by all lanes, with rounds from 1 on; what
// any lane wrote before it, all lanes of the blocks that meet may read after it. Where `sums`, it
// returns to all lanes the sum of every block's `mine`, always added in the order of fixed_sum().
#pragma once
#include <cooperative_groups.h>

#include "barrier_rounds.hpp"

namespace dwell::bench {

inline constexpr int most_blocks = barrier_lanes;  // one lane each where a block looks at all
inline constexpr int flag_stride = 32;             // a line each

/// A value and the round it belongs to, written and read as one.
struct alignas(16) tagged {
  double value;
  unsigned long long round;
};

/// Zero before a launch. Sets of two are used in turn: whoever writes the one of round r + 2 has
/// met everybody in round r + 1, and they had read the one of round r by then.
struct barrier_place {
  unsigned counter;
  unsigned flags[most_blocks * flag_stride];
  double partials[2][most_blocks];
  tagged slots[2][most_blocks];
  tagged result;
  double out[most_blocks];
  // Fields of watched runs:
  unsigned seen[most_blocks];
  unsigned early, wrong;
};

__device__ inline void store_release(tagged* p, double value, unsigned round) {
  asm volatile(
      "{ .reg .b128 q; mov.b128 q, {%1, %2}; st.release.gpu.global.b128 [%0], q; }" ::"l"(p),
      "l"(__double_as_longlong(value)), "l"(static_cast<long long>(round))
      : "memory");
}
__device__ inline tagged load_acquire(const tagged* p) {
  long long value, round;
  asm volatile("{ .reg .b128 q; ld.acquire.gpu.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }"
               : "=l"(value), "=l"(round)
               : "l"(p)
               : "memory");
  return {__longlong_as_double(value), static_cast<unsigned long long>(round)};
}
__device__ inline unsigned load_acquire(const unsigned* p) {
  unsigned v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

/// By one warp: lane l adds value_of(l), value_of(l + 32), ..., then halves; in lane 0.
template <class F>
__device__ double fixed_sum(int n, F&& value_of) {
  double s = 0.0;
  for (int i = static_cast<int>(threadIdx.x) % 32; i < n; i += 32) s += value_of(i);
  for (int h = 16; h > 0; h /= 2) s += __shfl_down_sync(~0u, s, h);
  return s;
}

/// cooperative_groups.
struct grid_sync {
  static constexpr bool sums = false, in_cluster = false, neighbours = false;
  __device__ static double wait(barrier_place&, unsigned, double) {
    cooperative_groups::this_grid().sync();
    return 0.0;
  }
};

/// Arrivals are counted and never reset; one lane of each block spins.
struct counted_barrier {
  static constexpr bool sums = false, in_cluster = false, neighbours = false;
  __device__ static double wait(barrier_place& at, unsigned round, double) {
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&at.counter) : "memory");
      while (static_cast<int>(load_acquire(&at.counter) - round * gridDim.x) < 0) {
      }
    }
    __syncthreads();
    return 0.0;
  }
};

/// A counted barrier after which every block adds up what all had partial before they came.
struct counter_then_sum {
  static constexpr bool sums = true, in_cluster = false, neighbours = false;
  __device__ static double wait(barrier_place& at, unsigned round, double mine) {
    __shared__ double sum[2];
    double* partials = at.partials[round % 2];
    if (threadIdx.x == 0) partials[blockIdx.x] = mine;
    counted_barrier::wait(at, round, mine);
    if (threadIdx.x < 32) {
      const double s = fixed_sum(gridDim.x, [&](int i) { return __ldcg(partials + i); });
      if (threadIdx.x == 0) sum[round % 2] = s;
    }
    __syncthreads();
    return sum[round % 2];
  }
};

/// No counter: every block waits for the tagged value of each of the others.
struct all_poll_all {
  static constexpr bool sums = true, in_cluster = false, neighbours = false;
  __device__ static double wait(barrier_place& at, unsigned round, double mine) {
    __shared__ double values[most_blocks], sum[2];
    tagged* slots = at.slots[round % 2];
    __syncthreads();
    if (threadIdx.x == 0) store_release(slots + blockIdx.x, mine, round);
    if (threadIdx.x < gridDim.x) {
      tagged t;
      do t = load_acquire(slots + threadIdx.x);
      while (t.round != round);
      values[threadIdx.x] = t.value;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
      const double s = fixed_sum(gridDim.x, [&](int i) { return values[i]; });
      if (threadIdx.x == 0) sum[round % 2] = s;
    }
    __syncthreads();
    return sum[round % 2];
  }
};

/// Waits for the result of this round, by one lane.
__device__ inline double await_result(const barrier_place& at, unsigned round) {
  tagged t;
  do t = load_acquire(&at.result);
  while (t.round != round);
  return t.value;
}

/// Whoever comes last adds up and tells all.
struct last_one_sums {
  static constexpr bool sums = true, in_cluster = false, neighbours = false;
  __device__ static double wait(barrier_place& at, unsigned round, double mine) {
    __shared__ double sum[2];
    double* partials = at.partials[round % 2];
    __syncthreads();
    if (threadIdx.x < 32) {
      unsigned before = 0;
      if (threadIdx.x == 0) {
        partials[blockIdx.x] = mine;
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                     : "=r"(before)
                     : "l"(&at.counter)
                     : "memory");
      }
      before = __shfl_sync(~0u, before, 0);
      if (before + 1 == round * gridDim.x) {
        __syncwarp();
        const double s = fixed_sum(gridDim.x, [&](int i) { return __ldcg(partials + i); });
        if (threadIdx.x == 0) store_release(&at.result, s, round);
      }
      if (threadIdx.x == 0) sum[round % 2] = await_result(at, round);
    }
    __syncthreads();
    return sum[round % 2];
  }
};

/// Block 0 waits for the tagged value of each of the others, adds up and tells all.
struct one_block_sums {
  static constexpr bool sums = true, in_cluster = false, neighbours = false;
  __device__ static double wait(barrier_place& at, unsigned round, double mine) {
    __shared__ double values[most_blocks], sum[2];
    tagged* slots = at.slots[round % 2];
    __syncthreads();
    if (blockIdx.x == 0) {
      if (threadIdx.x == 0) values[0] = mine;
      if (threadIdx.x > 0 && threadIdx.x < gridDim.x) {
        tagged t;
        do t = load_acquire(slots + threadIdx.x);
        while (t.round != round);
        values[threadIdx.x] = t.value;
      }
      __syncthreads();
      if (threadIdx.x < 32) {
        const double s = fixed_sum(gridDim.x, [&](int i) { return values[i]; });
        if (threadIdx.x == 0) store_release(&at.result, s, round), sum[round % 2] = s;
      }
    } else if (threadIdx.x == 0) {
      store_release(slots + blockIdx.x, mine, round);
      sum[round % 2] = await_result(at, round);
    }
    __syncthreads();
    return sum[round % 2];
  }
};

/// Only the blocks before and after, in a ring.
struct neighbour_flags {
  static constexpr bool sums = false, in_cluster = false, neighbours = true;
  __device__ static double wait(barrier_place& at, unsigned round, double) {
    __syncthreads();
    if (threadIdx.x == 0)
      asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at.flags + blockIdx.x * flag_stride),
                   "r"(round)
                   : "memory");
    if (threadIdx.x < 2) {
      const unsigned other = (blockIdx.x + (threadIdx.x ? 1 : gridDim.x - 1)) % gridDim.x;
      while (load_acquire(at.flags + other * flag_stride) < round) {
      }
    }
    __syncthreads();
    return 0.0;
  }
};

/// The hardware's barrier of a thread block cluster.
struct cluster_barrier {
  static constexpr bool sums = false, in_cluster = true, neighbours = false;
  __device__ static double wait(barrier_place&, unsigned, double) {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
    return 0.0;
  }
};

/// A cluster barrier after every block has put its value into the shared memory of all.
struct cluster_then_sum {
  static constexpr bool sums = true, in_cluster = true, neighbours = false;
  __device__ static double wait(barrier_place& at, unsigned round, double mine) {
    __shared__ double received[2][16], sum[2];
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x < gridDim.x) {
      const auto here =
          static_cast<unsigned>(__cvta_generic_to_shared(&received[round % 2][blockIdx.x]));
      unsigned there;
      asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(threadIdx.x));
      asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(there), "d"(mine) : "memory");
    }
#endif
    cluster_barrier::wait(at, round, mine);
    if (threadIdx.x < 32) {
      const double s = fixed_sum(gridDim.x, [&](int i) { return received[round % 2][i]; });
      if (threadIdx.x == 0) sum[round % 2] = s;
    }
    __syncthreads();
    return sum[round % 2];
  }
};

}  // namespace dwell::bench
