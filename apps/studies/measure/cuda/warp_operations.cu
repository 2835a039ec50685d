// SPDX-License-Identifier: MIT
// Barriers of warps, tiles and coalesced groups, shuffles and reductions of a warp: latency of one
// warp, throughput of a multiprocessor.
#include <cooperative_groups.h>

#include <numeric>
#include <vector>

#include "studies/measure/cuda/repeated.cuh"

namespace dwell::app {

namespace {

using namespace gpu;
namespace cg = cooperative_groups;

/// Where the compiler knows that the threads of a warp are together, as here, an empty instruction
/// is left of its barrier.
struct warp_barrier {
  __device__ void step() { __syncwarp(); }
  __device__ unsigned value() const { return 0; }
};

template <int N>
struct tile_barrier {
  cg::thread_block_tile<N> tile = cg::tiled_partition<N>(cg::this_thread_block());
  __device__ void step() { tile.sync(); }
  __device__ unsigned value() const { return 0; }
};

struct coalesced_barrier {
  cg::coalesced_group group = cg::coalesced_threads();
  __device__ void step() { group.sync(); }
  __device__ unsigned value() const { return 0; }
};

template <class T>
struct shuffle {
  T x = static_cast<T>(threadIdx.x);
  __device__ void step() { x = __shfl_xor_sync(~0u, x, 1); }
  __device__ T value() const { return x; }
};

struct coalesced_shuffle {
  cg::coalesced_group group = cg::coalesced_threads();
  unsigned x = threadIdx.x;
  __device__ void step() { x = group.shfl(x, (group.thread_rank() + 1) % group.size()); }
  __device__ unsigned value() const { return x; }
};

struct reduction {
  unsigned x = threadIdx.x;
  __device__ void step() {
#if __CUDA_ARCH__ >= 800
    x = __reduce_add_sync(~0u, x);
#endif
  }
  __device__ unsigned value() const { return x; }
};

/// A sum over the warp in f64: five shuffles and additions.
struct sum_f64 {
  double x = threadIdx.x;
  __device__ void step() {
#pragma unroll
    for (int h = 16; h > 0; h /= 2) x += __shfl_xor_sync(~0u, x, h);
  }
  __device__ double value() const { return x; }
};

/// Warps of a multiprocessor whose throughput is measured.
constexpr int warps = 32;

/// Latency of one warp, and the operations of warps, all tiles of a warp together.
template <int N>
void add_tile(measuring& m, kernel_timer& timer) {
  measured_row row{"sync", "tile barrier", N};
  row.blocks = 1;
  row.amount = operations_of_round;
  add_repeated<tile_barrier<N>>(m, timer, row, {1, 32});
  row.unit = measured_unit::operations_per_s;
  row.amount = operations_of_round * warps;
  add_repeated<tile_barrier<N>>(m, timer, row, {1, 32 * warps});
}

/// Groups of 1 to 32 threads (Zhang 2023, table 3.2); not all sizes without --full.
std::vector<unsigned> sizes_of_groups(const measuring& m) {
  if (!m.request().full) return {1, 2, 4, 8, 16, 24, 31, 32};
  std::vector<unsigned> all(32);
  std::iota(all.begin(), all.end(), 1u);
  return all;
}

/// Latency of a group of one warp, and the operations of groups, one in each of so many warps.
template <class Op>
void measure_groups(measuring& m, const char* probe) {
  kernel_timer timer(m.request().here);
  for (const unsigned lanes : sizes_of_groups(m))
    for (const int groups : {1, warps}) {
      measured_row row{"sync", probe, static_cast<int>(lanes) * groups};
      row.blocks = 1;
      row.amount = operations_of_round * groups;
      if (groups > 1) row.unit = measured_unit::operations_per_s;
      m.add(row, [&](double rounds) {
        return timer.run({1, 32 * groups}, repeated_in_part_kernel<Op>,
                         static_cast<long long>(rounds), lanes, nullptr);
      });
    }
}

}  // namespace

void measure_warp_barrier(measuring& m) {
  add_latency_and_throughput<warp_barrier>(m, "sync", "warp barrier");
}
void measure_tile_barrier(measuring& m) {
  kernel_timer timer(m.request().here);
  add_tile<1>(m, timer);
  add_tile<2>(m, timer);
  add_tile<4>(m, timer);
  add_tile<8>(m, timer);
  add_tile<16>(m, timer);
  add_tile<32>(m, timer);
}
void measure_coalesced_barrier(measuring& m) {
  measure_groups<coalesced_barrier>(m, "coalesced barrier");
}
void measure_shuffle(measuring& m) {
  add_latency_and_throughput<shuffle<unsigned>>(m, "sync", "shuffle 32 bits");
  add_latency_and_throughput<shuffle<double>>(m, "sync", "shuffle 64 bits");
}
void measure_coalesced_shuffle(measuring& m) {
  measure_groups<coalesced_shuffle>(m, "coalesced shuffle");
}
void measure_redux(measuring& m) {
  if (m.request().here.compute_capability >= 80)
    add_latency_and_throughput<reduction>(m, "sync", "redux");
}
void measure_warp_sum(measuring& m) {
  add_latency_and_throughput<sum_f64>(m, "sync", "warp sum f64");
}

}  // namespace dwell::app
