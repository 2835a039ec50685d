// SPDX-License-Identifier: MIT
// The cases of barrier_cases.hpp. Where only some meet, the others do not end at once: they wait
// for those to have passed, 20 ms at most. So it shows whether a barrier passes without them, when
// they have ended, or never.
#include "studies/measure/barrier_cases.hpp"

#include <cooperative_groups.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "cli/output.hpp"
#include "studies/measure/cuda/kernel_timer.hpp"

#include "dwell/base/error.hpp"

namespace dwell::app {

namespace {

using namespace gpu;
namespace cg = cooperative_groups;

constexpr long long patience_ns = 20'000'000;         ///< patience with threads that do not meet
constexpr auto hang_after = std::chrono::seconds(1);  ///< fifty times as long

// Barriers: made by all threads together, before their ways part.
struct warp_barrier {
  __device__ void sync() { __syncwarp(); }
};
template <int N>
struct tile_barrier {
  cg::thread_block_tile<N> tile = cg::tiled_partition<N>(cg::this_thread_block());
  __device__ void sync() { tile.sync(); }
};
struct coalesced_barrier {
  cg::coalesced_group group = cg::coalesced_threads();
  __device__ void sync() { group.sync(); }
};
/// No barrier, but lanes that need each other's values.
struct shuffle {
  __device__ void sync() {
    unsigned got = __shfl_xor_sync(~0u, threadIdx.x, 1);
    pin(got);
  }
};
struct block_barrier {
  __device__ void sync() { __syncthreads(); }
};
struct cluster_barrier {
  __device__ void sync() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
#endif
  }
};
struct grid_barrier {
  __device__ void sync() { cg::this_grid().sync(); }
};
/// For those that meet alone.
struct half_warp_barrier {
  __device__ void sync() { __syncwarp(0xffff); }
};
struct half_block_barrier {
  __device__ void sync() { asm volatile("barrier.sync 1, 64;" ::: "memory"); }
};

// Who meets.
struct lower_lanes {
  __device__ static bool meets() { return threadIdx.x % 32 < 16; }
};
struct lower_warps {
  __device__ static bool meets() { return threadIdx.x < blockDim.x / 2; }
};
struct lower_blocks {
  __device__ static bool meets() { return blockIdx.x < gridDim.x / 2; }
};

/// Times of a lane, in cycles of its multiprocessor.
struct passage {
  long long before, after;
};

/// The chain of branches of listing 3.4: lane K has the K-th one.
template <int K, class Barrier>
__device__ __forceinline__ void branch(Barrier& barrier, passage* of) {
  if (threadIdx.x == K) {
    const long long begin = span_clock::now();
    while (span_clock::now() - begin < 500) {
    }
    const long long before = span_clock::now();
    barrier.sync();
    of[K] = {before, span_clock::now()};
  } else if constexpr (K < 31) {
    branch<K + 1>(barrier, of);
  }
}
template <class Barrier>
__global__ void divergent_kernel(passage* of) {
  Barrier barrier;
  branch<0>(barrier, of);
}

struct passed_count {
  unsigned passed = 0;  ///< threads that met
  unsigned saw = 0;     ///< others that were still there when one had passed
  unsigned flag = 0;
};
template <class Barrier, class Who>
__global__ void partial_kernel(passed_count* out) {
  Barrier barrier;
  volatile unsigned* flag = &out->flag;
  if (Who::meets()) {
    barrier.sync();
    atomicAdd(&out->passed, 1u);
    *flag = 1;
  } else {
    const long long begin = span_clock::timer();
    while (*flag == 0 && span_clock::timer() - begin < patience_ns) {
    }
    if (*flag != 0) atomicAdd(&out->saw, 1u);
  }
}

/// Launches and waits, not for ever: false if the kernel hangs.
template <class T>
bool runs_to_its_end(const launch_shape& shape, void (*kernel)(T*), T* out) {
  cuda::stream stream;
  DWELL_CUDA(cudaStreamCreateWithFlags(stream.out(), cudaStreamNonBlocking));
  launcher<T*>(kernel, shape)(stream, out);
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    const cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaSuccess) return true;
    if (state != cudaErrorNotReady) DWELL_CUDA(state);
    if (std::chrono::steady_clock::now() - begin > hang_after) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Ends the process as it is: a kernel that hangs goes with it.
[[noreturn]] void end_with(const barrier_behaviour& found) {
  write_stdout(answer_of(found));
  ::_exit(0);
}

/// Lanes wait in groups of N.
template <class Barrier, int N>
void run_divergent(const device_facts&) {
  const gpu_array<passage> passages(32);
  barrier_behaviour found;
  if (!runs_to_its_end({1, 32}, divergent_kernel<Barrier>, passages.data())) {
    found.outcome = "hangs";
    end_with(found);
  }
  std::array<passage, 32> of{};
  DWELL_CUDA(cudaMemcpy(of.data(), passages.data(), sizeof of, cudaMemcpyDeviceToHost));
  long long spread = 0, least = 0;
  for (int begin = 0; begin < 32; begin += N) {
    long long first = of[begin].before, last = first, out = of[begin].after;
    for (int k = begin; k < begin + N; ++k) {
      first = std::min(first, of[k].before);
      last = std::max(last, of[k].before);
      out = std::min(out, of[k].after);
    }
    spread = std::max(spread, last - first);
    least = begin == 0 ? out - last : std::min(least, out - last);
  }
  found.outcome = least >= 0 ? "holds" : "does not hold";
  found.arrivals = static_cast<double>(spread);
  found.departure = static_cast<double>(least);
  end_with(found);
}

template <class Barrier, class Who>
void run_partial(const launch_shape& shape) {
  const gpu_array<passed_count> counts(1);
  counts.clear();
  barrier_behaviour found;
  if (!runs_to_its_end(shape, partial_kernel<Barrier, Who>, counts.data())) {
    found.outcome = "hangs";
    end_with(found);
  }
  passed_count of;
  DWELL_CUDA(cudaMemcpy(&of, counts.data(), sizeof of, cudaMemcpyDeviceToHost));
  found.outcome = of.saw > 0 ? "passes" : "waits for the end of the others";
  end_with(found);
}
template <class Barrier, class Who, int Threads, int Cluster = 0>
void run_block(const device_facts&) {
  launch_shape shape{Cluster > 0 ? Cluster : 1, Threads};
  shape.cluster = Cluster;
  run_partial<Barrier, Who>(shape);
}
void run_grid(const device_facts& here) {
  launch_shape shape{here.units, 32};
  shape.cooperative = true;
  run_partial<grid_barrier, lower_blocks>(shape);
}

struct known_case : barrier_case {
  void (*run)(const device_facts& here);
};

const std::vector<known_case>& known_cases() {
  const char* const all = "32 lanes, each by a branch of its own";
  static const std::vector<known_case> cases = {
      {{"warp", "warp", all, true}, run_divergent<warp_barrier, 32>},
      {{"tile32", "tile of 32", all, true}, run_divergent<tile_barrier<32>, 32>},
      {{"tile16", "tiles of 16", all, true}, run_divergent<tile_barrier<16>, 16>},
      {{"coalesced", "coalesced group of 32", all, true}, run_divergent<coalesced_barrier, 32>},
      {{"shuffle", "none: a shuffle", all, true}, run_divergent<shuffle, 32>},
      {{"block", "block of 32", all, true}, run_divergent<block_barrier, 32>},
      {{"half-warp", "warp", "16 of 32 lanes"}, run_block<warp_barrier, lower_lanes, 32>},
      {{"half-warp-mask", "warp, by a mask of 16", "16 of 32 lanes"},
       run_block<half_warp_barrier, lower_lanes, 32>},
      {{"half-tile", "tile of 32", "16 of 32 lanes"}, run_block<tile_barrier<32>, lower_lanes, 32>},
      {{"half-coalesced", "coalesced group of 32", "16 of 32 lanes"},
       run_block<coalesced_barrier, lower_lanes, 32>},
      {{"half-block", "block of 128", "2 of 4 warps"}, run_block<block_barrier, lower_warps, 128>},
      {{"half-block-named", "named barrier of 64", "2 of 4 warps"},
       run_block<half_block_barrier, lower_warps, 128>},
      {{"half-lanes", "block of 128", "16 lanes of each warp"},
       run_block<block_barrier, lower_lanes, 128>},
      {{"half-cluster", "cluster of 2", "1 of 2 blocks", false, 90},
       run_block<cluster_barrier, lower_blocks, 128, 2>},
      {{"half-grid", "grid, a block of each multiprocessor", "half of the blocks"}, run_grid}};
  return cases;
}

}  // namespace

std::vector<barrier_case> barrier_cases() { return {known_cases().begin(), known_cases().end()}; }

void answer_barrier_case(std::string_view name, const device_facts& here) {
  for (const known_case& c : known_cases())
    if (c.name == name) {
      DWELL_CUDA(cudaSetDevice(here.ordinal));
      c.run(here);
    }
  throw input_error("--barrier-case: found '" + std::string(name) + "'");
}

}  // namespace dwell::app
