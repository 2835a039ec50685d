// SPDX-License-Identifier: MIT
// What the programs of the ladder share on the GPU: how rows are dealt out, sums in fixed order,
// the barrier of a grid, and the arrays that kernels are given.
#pragma once
#include <cuda_runtime.h>
#include <cuda/atomic>

#include "ladder.hpp"

namespace ladder {

constexpr int threads = 1024;  // threads of a block; a grid has one block per multiprocessor
constexpr int warps = threads / 32;

/// What kernels are given: the matrix, which nobody writes, vectors, and what blocks leave for each
/// other. An element of a vector is written by the thread that has its row, and by no other.
struct arrays {
  int rows = 0, rows_per_block = 0;
  const int *row_ptr = nullptr, *col = nullptr;
  const double *val = nullptr, *b = nullptr;
  double *x = nullptr, *r = nullptr, *p = nullptr, *q = nullptr;
  double* pq = nullptr;                // p.q: a part of the sum from each block
  double* rr[2] = {nullptr, nullptr};  // r.r likewise, of this iteration and of the next one
  unsigned* arrived = nullptr;         // counter of the barrier
};

/// The rows of this block. All programs deal them out alike: then all sums have the same order, and
/// all answers the same bits.
__device__ inline int first_row(const arrays& s) {
  return min(s.rows, static_cast<int>(blockIdx.x) * s.rows_per_block);
}
__device__ inline int end_row(const arrays& s) {
  return min(s.rows, first_row(s) + s.rows_per_block);
}

/// A row of the matrix times p.
__device__ inline double row_times(const int* col, const double* val, int k, int end,
                                   const double* p) {
  double sum = 0;
  for (; k < end; ++k) sum = fma(val[k], p[col[k]], sum);
  return sum;
}

// [sums begin]
/// The sum of a value of each lane, in all lanes: a + b and b + a are the same bits.
__device__ inline double warp_sum(double v) {
  for (int distance = 16; distance > 0; distance /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, distance);
  return v;
}

/// Adds a value of each thread of the block in fixed order, and leaves the sum at partial[block].
__device__ inline void leave_sum(double v, double* partial) {
  __shared__ double of_warp[warps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  v = warp_sum(v);
  if (lane == 0) of_warp[warp] = v;
  __syncthreads();  // of_warp is written; it is written again after the next barrier of the grid
  if (warp == 0) {
    v = warp_sum(lane < warps ? of_warp[lane] : 0.0);
    if (lane == 0) partial[blockIdx.x] = v;
  }
}

/// What all blocks have left, added by every warp of every block in the same order: so all threads
/// have the same bits, and nobody needs to tell anybody the sum. After a barrier.
__device__ inline double total(const double* partial) {
  double v = 0;
  for (unsigned block = threadIdx.x % 32; block < gridDim.x; block += 32) v += partial[block];
  return warp_sum(v);
}
// [sums end]

// [barrier begin]
/// Where all blocks of a grid meet. All of them must be running, or the first ones wait for ever:
/// cudaLaunchCooperativeKernel() makes sure of that. The counter is 0 before the launch and never
/// reset: barrier k is over when k * gridDim.x blocks have arrived.
struct grid_barrier {
  unsigned* arrived;
  unsigned expected = 0;

  /// By all threads of the block. What any thread of the grid wrote before is seen by all after.
  __device__ void wait() {
    expected += gridDim.x;
    __syncthreads();  // the writes of this block come before the arrival of its thread 0
    if (threadIdx.x == 0) {
      cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*arrived);
      count.fetch_add(1, cuda::memory_order_release);  // hands them over, to those who acquire
      while (static_cast<int>(count.load(cuda::memory_order_acquire) - expected) < 0) {
      }  // the difference is right also where the counter has wrapped round
    }
    __syncthreads();  // what thread 0 acquired comes before the reads of this block
  }
};
// [barrier end]

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) leave(wrong, std::string(what) + ": " + cudaGetErrorString(status));
}

/// Device 0, or the end of the program where there is none.
inline cudaDeviceProp find_gpu() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0)
    leave(no_gpu, std::string("no CUDA device: ") +
                      cudaGetErrorString(status != cudaSuccess ? status : cudaErrorNoDevice));
  cudaDeviceProp gpu{};
  check(cudaGetDeviceProperties(&gpu, 0), "cudaGetDeviceProperties");
  return gpu;
}

/// An array in device memory, which is given back with the process.
template <class T>
T* on_gpu(std::size_t count, const T* values = nullptr) {
  T* at = nullptr;
  check(cudaMalloc(&at, count * sizeof(T)), "cudaMalloc");
  check(cudaMemset(at, 0, count * sizeof(T)), "cudaMemset");
  if (values) check(cudaMemcpy(at, values, count * sizeof(T), cudaMemcpyDefault), "cudaMemcpy");
  return at;
}

inline arrays upload(const csr& a, const std::vector<double>& b, int blocks) {
  arrays s;
  s.rows = a.rows;
  s.rows_per_block = (a.rows + blocks - 1) / blocks;
  s.row_ptr = on_gpu(a.row_ptr.size(), a.row_ptr.data());
  s.col = on_gpu(a.col.size(), a.col.data());
  s.val = on_gpu(a.val.size(), a.val.data());
  s.b = on_gpu(b.size(), b.data());
  for (double** vector : {&s.x, &s.r, &s.p, &s.q}) *vector = on_gpu<double>(b.size());
  for (double** partial : {&s.pq, &s.rr[0], &s.rr[1]}) *partial = on_gpu<double>(blocks);
  s.arrived = on_gpu<unsigned>(1);
  return s;
}

/// For kernels whose threads have at most `slots` rows each.
inline void require_rows(const arrays& s, int slots, int blocks) {
  if (s.rows_per_block <= slots * threads) return;
  leave(bad_input, "SIDE: expected at most " +
                       std::to_string(static_cast<int>(std::sqrt(1.0 * slots * threads * blocks))) +
                       ", whose vectors the registers of this GPU hold");
}

/// Runs `iterate` six times, each from the start; the median time of the last five, in
/// microseconds per iteration.
template <class F>
double time_of(const arrays& s, int iterations, F iterate) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<double> us;
  for (int run = 0; run < 6; ++run) {
    check(cudaMemsetAsync(s.arrived, 0, sizeof(unsigned)), "cudaMemsetAsync");
    check(cudaEventRecord(begin), "cudaEventRecord");
    iterate();
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "the kernel");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    if (run > 0) us.push_back(1e3 * ms / iterations);
  }
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

/// x and the norm of r, which is that of the sums that `rr` leads to.
inline void download(const arrays& s, const double* rr, int blocks, outcome& of) {
  of.x.resize(s.rows);
  check(cudaMemcpy(of.x.data(), s.x, s.rows * sizeof(double), cudaMemcpyDefault), "cudaMemcpy");
  std::vector<double> partial(blocks);
  check(cudaMemcpy(partial.data(), rr, blocks * sizeof(double), cudaMemcpyDefault), "cudaMemcpy");
  double sum = 0;
  for (const double v : partial) sum += v;
  of.carried = std::sqrt(sum);
}

}  // namespace ladder
