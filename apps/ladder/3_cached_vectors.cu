// SPDX-License-Identifier: MIT
// Rung 3: rung 2, with the vectors in registers from the first iteration to the last. A thread has
// the same rows in every phase, so x, r and q need not be in memory at all. p must: other threads
// multiply it. Its owner has it in registers, too, stores it once per iteration and loads no more
// than what the product gathers.
//
//   phase      written, by the owner of a row or by a block   read by others in       after barrier
//   direction  p, and a register                              product                 1
//   product    pq                                             residual                2
//   residual   rr                                             direction of the next   3
//
// Registers x, r, p, q: written and read by one thread, without any barrier.
#include "ladder.cuh"

using namespace ladder;

constexpr int slots = 4;  // rows of a thread: 4 vectors x 4 slots are 32 of its 64 registers

__global__ void __launch_bounds__(threads, 1) iterate(arrays s, int iterations) {
  grid_barrier all{s.arrived};
  const int top = first_row(s), own = end_row(s) - top;
  // Registers, as long as every loop over them is unrolled.
  double x[slots], r[slots], p[slots], q[slots];
  double before = 0, sum = 0;
#pragma unroll
  for (int j = 0; j < slots; ++j) {
    const int mine = j * threads + threadIdx.x;  // row within the block
    x[j] = p[j] = 0;
    r[j] = mine < own ? s.b[top + mine] : 0;
    sum = fma(r[j], r[j], sum);
  }
  leave_sum(sum, s.rr[0]);
  all.wait();
  for (int k = 0; k < iterations; ++k) {
    const double rr = total(s.rr[0]), beta = before > 0 ? rr / before : 0;
    // [iteration begin]
#pragma unroll
    for (int j = 0; j < slots; ++j) {
      const int mine = j * threads + threadIdx.x;
      p[j] = fma(beta, p[j], r[j]);
      if (mine < own) s.p[top + mine] = p[j];  // for others
    }
    all.wait();  // 1: p is there
    sum = 0;
#pragma unroll
    for (int j = 0; j < slots; ++j) {
      const int mine = j * threads + threadIdx.x, i = top + mine;
      q[j] = mine < own ? row_times(s.col, s.val, s.row_ptr[i], s.row_ptr[i + 1], s.p) : 0;
      sum = fma(p[j], q[j], sum);
    }
    leave_sum(sum, s.pq);
    // [iteration end]
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
  const request wanted = parse(argc, argv);
  const cudaDeviceProp gpu = find_gpu();
  const int blocks = gpu.multiProcessorCount;
  const csr a = poisson(wanted.side);
  const std::vector<double> b = right_hand_side(a.rows);
  arrays s = upload(a, b, blocks);
  require_rows(s, slots, blocks);

  outcome of{"3_cached_vectors", gpu.name};
  int iterations = wanted.iterations;
  void* arguments[] = {&s, &iterations};
  of.us = time_of(s, iterations, [&] {
    check(cudaLaunchCooperativeKernel(iterate, dim3(blocks), dim3(threads), arguments),
          "the cooperative launch");
  });
  // Bytes of the vectors p alone, stored and gathered, and of the matrix.
  of.bytes = 8.0 * 2 * a.rows + 12.0 * a.row_ptr.back() + 4.0 * (a.rows + 1);
  download(s, s.rr[0], blocks, of);
  return report(a, b, wanted, of);
}
