// SPDX-License-Identifier: MIT
// Sums of 32 doubles by one warp: the seven ways of Zhang 2023, table 3.5, and two more. In shared
// memory 16, 8, 4, 2, 1 threads add what is as far from them, with a barrier after each step, or
// none: that one is right only as long as the threads happen to go on together, and is here to show
// what the barriers cost.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "studies/measure/cuda/repeated.cuh"

namespace dwell::app {

namespace {

using namespace gpu;
namespace cg = cooperative_groups;

/// Sums of a repetition.
constexpr int sums = 8;

struct doubles_of_lanes {
  double x = 1.0 / (1 + threadIdx.x);
  __device__ double value() const { return x; }
};

struct one_thread : doubles_of_lanes {
  __device__ void step() {
    __shared__ double v[32];
    v[threadIdx.x] = x;
    __syncwarp();
    if (threadIdx.x == 0) {
      double sum = v[0];
#pragma unroll
      for (int k = 1; k < 32; ++k) sum += v[k];
      x = sum;
    }
    __syncwarp();
  }
};

/// The tree in shared memory; E: double or volatile double; meet() comes after each step.
template <class E, class Meet>
__device__ double tree_sum(double x, Meet&& meet) {
  __shared__ E v[32];
  const unsigned t = threadIdx.x;
  v[t] = x;
  meet();
#pragma unroll
  for (unsigned h = 16; h > 0; h /= 2) {
    if (t < h) v[t] = v[t] + v[t + h];
    meet();
  }
  return v[t];
}

struct shared_without_barrier : doubles_of_lanes {
  __device__ void step() {
    x = tree_sum<volatile double>(x, [] {});
  }
};
struct volatile_with_tile : doubles_of_lanes {
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  __device__ void step() {
    x = tree_sum<volatile double>(x, [&] { tile.sync(); });
  }
};
struct shared_with_tile : doubles_of_lanes {
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  __device__ void step() {
    x = tree_sum<double>(x, [&] { tile.sync(); });
  }
};
struct shared_with_coalesced : doubles_of_lanes {
  cg::coalesced_group group = cg::coalesced_threads();
  __device__ void step() {
    x = tree_sum<double>(x, [&] { group.sync(); });
  }
};

struct tile_shuffle : doubles_of_lanes {
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  __device__ void step() {
#pragma unroll
    for (unsigned h = 16; h > 0; h /= 2) x += tile.shfl_down(x, h);
  }
};
struct coalesced_shuffle : doubles_of_lanes {
  cg::coalesced_group group = cg::coalesced_threads();
  __device__ void step() {
#pragma unroll
    for (unsigned h = 16; h > 0; h /= 2) x += group.shfl_down(x, h);
  }
};
/// Shuffles of Dwell's kernels.
struct warp_shuffle : doubles_of_lanes {
  __device__ void step() {
#pragma unroll
    for (unsigned h = 16; h > 0; h /= 2) x += __shfl_down_sync(~0u, x, h);
  }
};
struct group_reduce : doubles_of_lanes {
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
  __device__ void step() { x = cg::reduce(tile, x, cg::plus<double>()); }
};

template <class Op>
void add_way(measuring& m, kernel_timer& timer, const char* probe) {
  measured_row row{"reductions", probe, 32};
  row.blocks = 1;
  row.access = sizeof(double);
  row.amount = sums;
  add_repeated<Op, sums>(m, timer, row, {1, 32});
}

}  // namespace

void measure_reduce_warp(measuring& m) {
  kernel_timer timer(m.request().here);
  add_way<one_thread>(m, timer, "sum of 32, one thread");
  add_way<shared_without_barrier>(m, timer, "sum of 32, volatile, no barrier");
  add_way<volatile_with_tile>(m, timer, "sum of 32, volatile, tile barrier");
  add_way<shared_with_tile>(m, timer, "sum of 32, tile barrier");
  add_way<shared_with_coalesced>(m, timer, "sum of 32, coalesced barrier");
  add_way<tile_shuffle>(m, timer, "sum of 32, tile shuffle");
  add_way<coalesced_shuffle>(m, timer, "sum of 32, coalesced shuffle");
  add_way<warp_shuffle>(m, timer, "sum of 32, warp shuffle");
  add_way<group_reduce>(m, timer, "sum of 32, cg::reduce");
}

}  // namespace dwell::app
