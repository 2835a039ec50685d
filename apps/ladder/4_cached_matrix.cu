// SPDX-License-Identifier: MIT
// Rung 4: rung 3, with the matrix in shared memory. A block copies the first `cached` of its rows
// once, before the first iteration; rows that do not fit it reads from memory as before. What is
// left to move in an iteration is p, two sums and the rest of the matrix.
//
//   phase      written, by the owner of a row or by a block   read by others in       after barrier
//   direction  p, and a register                              product                 1
//   product    pq                                             residual                2
//   residual   rr                                             direction of the next   3
//
// Shared memory: written before the iterations, read by the threads of the block after the
// __syncthreads() of the first barrier, and never written again.
#include "ladder.cuh"

using namespace ladder;

constexpr int slots = 4;
constexpr int bytes_per_row = most_in_a_row * 12 + 4;  // values, columns, where the row begins

// [cache begin]
/// The first rows of a block, in its shared memory: values, then columns, then where rows begin.
struct row_cache {
  int rows;
  double* val;
  int *col, *begin;

  __device__ row_cache(double* memory, int most) : rows(most), val(memory) {
    col = reinterpret_cast<int*>(val + most * most_in_a_row);
    begin = col + most * most_in_a_row;
  }
  __device__ void load(const arrays& s) {
    const int top = first_row(s), count = min(rows, end_row(s) - top), base = s.row_ptr[top];
    for (int j = threadIdx.x; j <= count; j += threads) begin[j] = s.row_ptr[top + j] - base;
    for (int k = threadIdx.x; k < s.row_ptr[top + count] - base; k += threads) {
      col[k] = s.col[base + k];
      val[k] = s.val[base + k];
    }
  }
};
// [cache end]

__global__ void __launch_bounds__(threads, 1) iterate(arrays s, int iterations, int cached) {
  extern __shared__ double memory[];
  grid_barrier all{s.arrived};
  row_cache here(memory, cached);
  const int top = first_row(s), own = end_row(s) - top;
  double x[slots], r[slots], p[slots], q[slots];
  double before = 0, sum = 0;
  here.load(s);
  const int in_cache = min(cached, own);
#pragma unroll
  for (int j = 0; j < slots; ++j) {
    const int mine = j * threads + threadIdx.x;
    x[j] = p[j] = 0;
    r[j] = mine < own ? s.b[top + mine] : 0;
    sum = fma(r[j], r[j], sum);
  }
  leave_sum(sum, s.rr[0]);
  all.wait();
  for (int k = 0; k < iterations; ++k) {
    const double rr = total(s.rr[0]), beta = before > 0 ? rr / before : 0;
#pragma unroll
    for (int j = 0; j < slots; ++j) {
      const int mine = j * threads + threadIdx.x;
      p[j] = fma(beta, p[j], r[j]);
      if (mine < own) s.p[top + mine] = p[j];
    }
    all.wait();  // 1: p is there
    sum = 0;
    // [product begin]
#pragma unroll
    for (int j = 0; j < slots; ++j) {
      const int mine = j * threads + threadIdx.x;
      q[j] = 0;
      if (mine < in_cache)  // from shared memory, p from L2
        q[j] = row_times(here.col, here.val, here.begin[mine], here.begin[mine + 1], s.p);
      else if (mine < own)
        q[j] = row_times(s.col, s.val, s.row_ptr[top + mine], s.row_ptr[top + mine + 1], s.p);
      sum = fma(p[j], q[j], sum);
    }
    // [product end]
    leave_sum(sum, s.pq);
    all.wait();  // 2: the parts of p.q are there
    const double pq = total(s.pq), alpha = pq > 0 ? rr / pq : 0;
    sum = 0;
#pragma unroll
    for (int j = 0; j < slots; ++j) {
      x[j] = fma(alpha, p[j], x[j]);
      r[j] = fma(-alpha, q[j], r[j]);
      sum = fma(r[j], r[j], sum);
    }
    leave_sum(sum, s.rr[0]);
    all.wait();  // 3: the parts of r.r are there
    before = rr;
  }
#pragma unroll
  for (int j = 0; j < slots; ++j)
    if (const int mine = j * threads + threadIdx.x; mine < own) s.x[top + mine] = x[j];
}

int main(int argc, char** argv) {
  const request wanted = parse(argc, argv, "--cached=ROWS");
  const cudaDeviceProp gpu = find_gpu();
  const int blocks = gpu.multiProcessorCount;
  const csr a = poisson(wanted.side);
  const std::vector<double> b = right_hand_side(a.rows);
  arrays s = upload(a, b, blocks);
  require_rows(s, slots, blocks);

  // [fit begin]
  cudaFuncAttributes kernel{};
  check(cudaFuncGetAttributes(&kernel, iterate), "cudaFuncGetAttributes");
  const int room = static_cast<int>(gpu.sharedMemPerBlockOptin - kernel.sharedSizeBytes) - 4;
  int cached = std::min({wanted.cached, s.rows_per_block, room / bytes_per_row});
  const int bytes = cached * bytes_per_row + 4;  // and where the last row ends
  check(cudaFuncSetAttribute(iterate, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "cudaFuncSetAttribute");
  // [fit end]

  outcome of{"4_cached_matrix", gpu.name};
  int iterations = wanted.iterations;
  void* arguments[] = {&s, &iterations, &cached};
  of.us = time_of(s, iterations, [&] {
    check(cudaLaunchCooperativeKernel(iterate, dim3(blocks), dim3(threads), arguments, bytes),
          "the cooperative launch");
  });
  // p, stored and gathered. And the share of the matrix that is not in shared memory.
  const double streamed = 1 - static_cast<double>(cached) / s.rows_per_block;
  of.bytes = 8.0 * 2 * a.rows + streamed * (12.0 * a.row_ptr.back() + 4.0 * (a.rows + 1));
  download(s, s.rr[0], blocks, of);
  return report(a, b, wanted, of);
}
