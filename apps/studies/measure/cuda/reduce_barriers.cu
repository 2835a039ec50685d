// SPDX-License-Identifier: MIT
// Sums of doubles of a whole device whose blocks meet in four ways (Zhang 2023, section 3.6.2): by
// the end of a launch, in a stream or in a graph; at a barrier of the grid; and at one of a
// cluster, which is then all there is.
#include <cooperative_groups.h>

#include <map>
#include <memory>

#include "studies/measure/cuda/reductions.cuh"

namespace dwell::app {

namespace {

using namespace gpu;
namespace cg = cooperative_groups;

constexpr int threads = 256, warps = threads / 32, blocks_of_unit = 4;
/// Pairs of doubles that a thread has under way.
constexpr int loads = 4;

/// The sum over the block, to its thread 0.
__device__ double block_sum(double v) {
  __shared__ double of_warp[warps];
  const int t = static_cast<int>(threadIdx.x) % 32, w = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int h = 16; h > 0; h /= 2) v += __shfl_down_sync(~0u, v, h);
  if (t == 0) of_warp[w] = v;
  __syncthreads();
  if (w == 0) {
    v = t < warps ? of_warp[t] : 0;
#pragma unroll
    for (int h = warps / 2; h > 0; h /= 2) v += __shfl_down_sync(~0u, v, h);
  }
  return v;
}

/// What this thread of the grid has of n doubles. `from` is a multiple of 16.
__device__ double thread_sum(const double* from, long long n) {
  const auto* const pairs = reinterpret_cast<const double2*>(from);
  const long long all = n / 2, stride = static_cast<long long>(gridDim.x) * blockDim.x;
  long long k = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  double sum = k == 0 && n % 2 ? from[n - 1] : 0;
  for (; k + (loads - 1) * stride < all; k += loads * stride) {
    double2 v[loads];
#pragma unroll
    for (int u = 0; u < loads; ++u) v[u] = pairs[k + u * stride];
#pragma unroll
    for (int u = 0; u < loads; ++u) sum += v[u].x + v[u].y;
  }
  for (; k < all; k += stride) sum += pairs[k].x + pairs[k].y;
  return sum;
}

__global__ void __launch_bounds__(threads, blocks_of_unit)
    partial_kernel(const double* from, long long n, double* partial) {
  const double sum = block_sum(thread_sum(from, n));
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__device__ void add_partial(const double* partial, int count, double* to) {
  double sum = 0;
  for (int k = static_cast<int>(threadIdx.x); k < count; k += threads) sum += __ldcg(partial + k);
  sum = block_sum(sum);
  if (threadIdx.x == 0) *to = sum;
}

__global__ void __launch_bounds__(threads)
    last_kernel(const double* partial, int count, double* to) {
  add_partial(partial, count, to);
}

__global__ void __launch_bounds__(threads, blocks_of_unit)
    grid_kernel(const double* from, long long n, double* partial, double* to) {
  const double sum = block_sum(thread_sum(from, n));
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  cg::this_grid().sync();
  if (blockIdx.x == 0) add_partial(partial, static_cast<int>(gridDim.x), to);
}

__global__ void __launch_bounds__(threads)
    cluster_kernel(const double* from, long long n, double* to) {
#if __CUDA_ARCH__ >= 900
  __shared__ double of_block;
  auto cluster = cg::this_cluster();
  const double sum = block_sum(thread_sum(from, n));
  if (threadIdx.x == 0) of_block = sum;
  cluster.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    double total = 0;
    for (unsigned k = 0; k < cluster.num_blocks(); ++k)
      total += *cluster.map_shared_rank(&of_block, k);
    *to = total;
  }
  cluster.sync();  // no block leaves while its memory is read
#endif
}

/// Returns as many blocks as there is work for.
int blocks_for(const measuring& m, std::int64_t n) {
  const std::int64_t most = std::int64_t{m.request().here.units} * blocks_of_unit;
  return static_cast<int>(std::clamp<std::int64_t>(n / (2 * loads * threads), 1, most));
}

class whole_device {
 public:
  explicit whole_device(const measuring& m)
      : m_(m),
        partial_(static_cast<std::size_t>(m.request().here.units) * blocks_of_unit),
        to_(1) {}

  void launch_twice(cudaStream_t stream, const double* v, std::int64_t n) const {
    const int blocks = blocks_for(m_, n);
    partial_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(v, n, partial_.data());
    last_kernel<<<1, threads, 0, stream>>>(partial_.data(), blocks, to_.data());
    DWELL_CUDA(cudaGetLastError());
  }
  void barrier_in_grid(cudaStream_t stream, const double* v, std::int64_t n) const {
    launch_shape shape{blocks_for(m_, n), threads};
    shape.cooperative = true;
    launcher(grid_kernel, shape)(stream, v, n, partial_.data(), to_.data());
  }
  void barrier_in_cluster(cudaStream_t stream, const double* v, std::int64_t n) const {
    launch_shape shape{std::min(8, m_.request().here.cluster_teams), threads};
    shape.cluster = shape.blocks;
    launcher(cluster_kernel, shape)(stream, v, n, to_.data());
  }

 private:
  const measuring& m_;
  gpu_array<double> partial_, to_;
};

/// Both launches as one graph.
class sum_graph {
 public:
  sum_graph(const whole_device& all, cudaStream_t stream, const double* v, std::int64_t n) {
    cuda::recorded_graph graph;
    DWELL_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    all.launch_twice(stream, v, n);
    DWELL_CUDA(cudaStreamEndCapture(stream, graph.out()));
    DWELL_CUDA(cudaGraphInstantiate(ready_.out(), graph, 0));
    DWELL_CUDA(cudaGraphUpload(ready_, stream));
    DWELL_CUDA(cudaStreamSynchronize(stream));
  }
  void launch(cudaStream_t stream) const { DWELL_CUDA(cudaGraphLaunch(ready_, stream)); }

 private:
  cuda::executable_graph ready_;
};

}  // namespace

void measure_reduce_two_launches(measuring& m) {
  kernel_timer timer(m.request().here);
  const whole_device all(m);
  add_sums<double>(m, timer, "sum, two launches", 0, [&](const double* v, std::int64_t n) {
    all.launch_twice(timer.stream(), v, n);
  });
}

void measure_reduce_graph(measuring& m) {
  kernel_timer timer(m.request().here);
  const whole_device all(m);
  std::map<std::int64_t, std::unique_ptr<sum_graph>> graphs;
  add_sums<double>(m, timer, "sum, graph", 0, [&](const double* v, std::int64_t n) {
    auto& graph = graphs[n];
    if (!graph) graph = std::make_unique<sum_graph>(all, timer.stream(), v, n);
    graph->launch(timer.stream());
  });
}

void measure_reduce_grid_barrier(measuring& m) {
  if (!m.request().here.cooperative_launch) return;
  kernel_timer timer(m.request().here);
  const whole_device all(m);
  add_sums<double>(m, timer, "sum, grid barrier", 0, [&](const double* v, std::int64_t n) {
    all.barrier_in_grid(timer.stream(), v, n);
  });
}

void measure_reduce_cluster(measuring& m) {
  if (m.request().here.cluster_teams < 2) return;
  kernel_timer timer(m.request().here);
  const whole_device all(m);
  constexpr std::int64_t most = 1 << 20;  // most elements for a few multiprocessors
  add_sums<double>(
      m, timer, "sum, cluster", std::min(8, m.request().here.cluster_teams),
      [&](const double* v, std::int64_t n) { all.barrier_in_cluster(timer.stream(), v, n); }, most);
}

}  // namespace dwell::app
