// SPDX-License-Identifier: MIT
// Rung 2: one launch for the whole run. The loop is inside the kernel, and where a launch ended all
// blocks meet at a barrier. The phases are those of rung 1, and so are the bytes that they move;
// what is gone is the time between launches. Scalars stay in registers: every thread has all sums.
//
//   phase      written, by the owner of a row or by a block   read by others in       after barrier
//   direction  p                                              product                 1
//   product    pq                                             residual                2
//   residual   rr                                             direction of the next   3
//
// p is written again after barrier 3, when nobody reads it any more; pq after barriers 3 and 1, rr
// after 1 and 2. All else (x, r, q) is written and read by one thread.
#include "ladder.cuh"

using namespace ladder;

// x = 0, r = b, p = 0, and r.r.
__device__ void start(const arrays& s) {
  double sum = 0;
  for (int i = first_row(s) + threadIdx.x; i < end_row(s); i += threads) {
    const double r = s.b[i];
    s.x[i] = 0;
    s.r[i] = r;
    s.p[i] = 0;
    sum = fma(r, r, sum);
  }
  leave_sum(sum, s.rr[0]);
}

// p = r + beta p.
__device__ void direction(const arrays& s, double beta) {
  for (int i = first_row(s) + threadIdx.x; i < end_row(s); i += threads)
    s.p[i] = fma(beta, s.p[i], s.r[i]);
}

// q = A p, and p.q.
__device__ void product(const arrays& s) {
  double sum = 0;
  for (int i = first_row(s) + threadIdx.x; i < end_row(s); i += threads) {
    const double q = row_times(s.col, s.val, s.row_ptr[i], s.row_ptr[i + 1], s.p);
    s.q[i] = q;
    sum = fma(s.p[i], q, sum);
  }
  leave_sum(sum, s.pq);
}

// x += alpha p and r -= alpha q, and the next r.r.
__device__ void residual(const arrays& s, double alpha) {
  double sum = 0;
  for (int i = first_row(s) + threadIdx.x; i < end_row(s); i += threads) {
    s.x[i] = fma(alpha, s.p[i], s.x[i]);
    const double r = fma(-alpha, s.q[i], s.r[i]);
    s.r[i] = r;
    sum = fma(r, r, sum);
  }
  leave_sum(sum, s.rr[0]);
}

// [kernel begin]
// All threads have the same rr and pq, to the bit, so all of them go the same way.
__global__ void __launch_bounds__(threads, 1) iterate(arrays s, int iterations) {
  grid_barrier all{s.arrived};
  double before = 0;
  start(s);
  all.wait();
  for (int k = 0; k < iterations; ++k) {
    const double rr = total(s.rr[0]);
    direction(s, before > 0 ? rr / before : 0);
    all.wait();  // 1: p is there
    product(s);
    all.wait();  // 2: the parts of p.q are there
    const double pq = total(s.pq);
    residual(s, pq > 0 ? rr / pq : 0);
    all.wait();  // 3: the parts of r.r are there
    before = rr;
  }
}
// [kernel end]

int main(int argc, char** argv) {
  const request wanted = parse(argc, argv);
  const cudaDeviceProp gpu = find_gpu();
  const int blocks = gpu.multiProcessorCount;
  const csr a = poisson(wanted.side);
  const std::vector<double> b = right_hand_side(a.rows);
  arrays s = upload(a, b, blocks);

  outcome of{"2_persistent", gpu.name};
  int iterations = wanted.iterations;
  // [launch begin]
  // Cooperative: all blocks run at the same time, or the launch is refused.
  void* arguments[] = {&s, &iterations};
  of.us = time_of(s, iterations, [&] {
    check(cudaLaunchCooperativeKernel(iterate, dim3(blocks), dim3(threads), arguments),
          "the cooperative launch");
  });
  // [launch end]
  // As rung 1.
  of.bytes = 8.0 * 11 * a.rows + 12.0 * a.row_ptr.back() + 4.0 * (a.rows + 1);
  download(s, s.rr[0], blocks, of);
  return report(a, b, wanted, of);
}
