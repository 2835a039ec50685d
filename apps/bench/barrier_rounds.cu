// SPDX-License-Identifier: MIT
// A launch of many rounds less a launch of few leaves the rounds alone: neither the launch nor the
// first barrier of blocks that start one by one is in the figures.
#include <cuda_runtime.h>

#include <algorithm>
#include <string>
#include <utility>

#include "barrier_rounds.hpp"
#include "barriers.cuh"

#include "dwell/device/device.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"

namespace dwell::bench {
namespace {

/// What a block brings to a round: values whose sum depends on the order.
__device__ double value_of(unsigned block, unsigned round) {
  return 1.0 / static_cast<double>(block + 1 + round % 7);
}

/// Shared memory of a cluster's other blocks may be written once they have begun.
template <class Barrier>
__device__ void begin(barrier_place* at) {
  if constexpr (Barrier::in_cluster) (void)cluster_barrier::wait(*at, 0, 0.0);
}

template <class Barrier>
__global__ void __launch_bounds__(barrier_lanes, 1) rounds_kernel(barrier_place* at, int rounds) {
  begin<Barrier>(at);
  const double mine = value_of(blockIdx.x, 0);
  double all = 0.0;
  for (unsigned r = 1; r <= static_cast<unsigned>(rounds); ++r) all += Barrier::wait(*at, r, mine);
  if (Barrier::sums && threadIdx.x == 0) at->out[blockIdx.x] = all;  // so that sums are not dropped
}

/// Rounds with checks: every block looks whether those that it met had come, and whether the sum is
/// the one in fixed order.
template <class Barrier>
__global__ void __launch_bounds__(barrier_lanes, 1) watched_kernel(barrier_place* at, int rounds) {
  const unsigned n = gridDim.x, here = blockIdx.x;
  begin<Barrier>(at);
  for (unsigned r = 1; r <= static_cast<unsigned>(rounds); ++r) {
    if (threadIdx.x == 32) __stcg(at->seen + here, r);
    const double sum = Barrier::wait(*at, r, value_of(here, r));
    const unsigned other = threadIdx.x;
    const bool meets = other < n && (!Barrier::neighbours || other == (here + 1) % n ||
                                     other == (here + n - 1) % n);
    if (meets && __ldcg(at->seen + other) < r) atomicAdd(&at->early, 1u);
    if (Barrier::sums && threadIdx.x < 32) {
      const double expected = fixed_sum(
          static_cast<int>(n), [&](int i) { return value_of(static_cast<unsigned>(i), r); });
      if (threadIdx.x == 0 && sum != expected) atomicAdd(&at->wrong, 1u);
    }
  }
}

class measurer {
 public:
  explicit measurer(const barrier_request& request)
      : request_(request), facts_(device::cuda(request.device).facts()) {
    DWELL_CUDA(cudaSetDevice(request.device));
    DWELL_CUDA(cudaMalloc(&place_, sizeof *place_));
    DWELL_CUDA(cudaEventCreate(begin_.out()));
    DWELL_CUDA(cudaEventCreate(end_.out()));
  }
  ~measurer() { cudaFree(place_); }
  measurer(const measurer&) = delete;
  measurer& operator=(const measurer&) = delete;

  template <class Barrier>
  void add(const std::string& name, int blocks, std::vector<barrier_row>& rows) {
    barrier_row row{name, blocks, Barrier::sums, {}, {}};
    if (Barrier::in_cluster && blocks > facts_.cluster_teams)
      row.why = "clusters of " + std::to_string(facts_.cluster_teams) + " are the largest here";
    else
      measure<Barrier>(row);
    rows.push_back(std::move(row));
  }

 private:
  template <class Barrier>
  void measure(barrier_row& row) {
    constexpr int watched = 500, few = 100;
    (void)seconds(watched_kernel<Barrier>, Barrier::in_cluster, row.blocks, watched);
    unsigned faults[2] = {};  // early and wrong lie side by side
    DWELL_CUDA(cudaMemcpy(faults, &place_->early, sizeof faults, cudaMemcpyDeviceToHost));
    if (faults[0] || faults[1])
      throw device_error(row.name + ": of " + std::to_string(watched) + " rounds of " +
                         std::to_string(row.blocks) + " blocks, " + std::to_string(faults[0]) +
                         " looks came too early and " + std::to_string(faults[1]) + " sums differ");
    const auto run = [&](int rounds) {
      return seconds(rounds_kernel<Barrier>, Barrier::in_cluster, row.blocks, rounds);
    };
    (void)run(few);
    for (int k = 0; k < request_.repetitions; ++k) {
      const double start = run(few);
      row.us.push_back((run(few + request_.rounds) - start) / request_.rounds * 1e6);
    }
    std::sort(row.us.begin(), row.us.end());
  }

  /// One launch of blocks that are on the device together.
  double seconds(void (*kernel)(barrier_place*, int), bool in_cluster, int blocks, int rounds) {
    DWELL_CUDA(cudaMemset(place_, 0, sizeof *place_));
    DWELL_CUDA(cudaEventRecord(begin_));
    cuda::launch_together(kernel, blocks, barrier_lanes, 0, nullptr, in_cluster, place_, rounds);
    DWELL_CUDA(cudaEventRecord(end_));
    DWELL_CUDA(cudaEventSynchronize(end_));
    float ms = 0;
    DWELL_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return ms * 1e-3;
  }

  barrier_request request_;
  device_facts facts_;
  barrier_place* place_ = nullptr;
  cuda::event begin_, end_;
};

}  // namespace

std::vector<barrier_row> measure_barriers(const barrier_request& request) {
  const device_facts facts = device::cuda(request.device).facts();
  const int blocks = request.blocks ? request.blocks : facts.units;
  const int most = std::min(facts.units, most_blocks);
  if (blocks < 2 || blocks > most)
    throw unsupported_error("expected 2 to " + std::to_string(most) + " blocks on " + facts.name +
                            ", one a multiprocessor, found " + std::to_string(blocks));
  measurer m(request);
  std::vector<barrier_row> rows;
  m.add<grid_sync>("cooperative groups, grid.sync()", blocks, rows);
  m.add<counted_barrier>("counter, red.release and ld.acquire", blocks, rows);
  m.add<neighbour_flags>("flags of two neighbours", blocks, rows);
  m.add<counter_then_sum>("counter, then each block sums", blocks, rows);
  m.add<all_poll_all>("tagged values, each block looks at all", blocks, rows);
  m.add<last_one_sums>("the last to come sums, and tells all", blocks, rows);
  m.add<one_block_sums>("tagged values, block 0 sums and tells all", blocks, rows);
  for (const int n : {2, 4, 8, 16}) m.add<cluster_barrier>("cluster barrier", n, rows);
  for (const int n : {2, 4, 8, 16})
    m.add<cluster_then_sum>("cluster, then each block sums", n, rows);
  return rows;
}

}  // namespace dwell::bench
