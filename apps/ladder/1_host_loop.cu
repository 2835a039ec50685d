// SPDX-License-Identifier: MIT
// Rung 1: the loop over iterations is on the host, and launches a kernel for each phase. The end of
// a launch is the barrier: what a kernel wrote, the next one may read. Registers and shared memory
// are lost there, so every kernel loads all that it needs and stores all that it made.
//
//   kernel     written, by the owner of a row or by a block   read by others in a later launch
//   direction  p                                              product
//   product    q, pq                                          residual (pq)
//   residual   x, r, rr of the next iteration                 direction, residual of the next (rr)
#include "ladder.cuh"

using namespace ladder;

// x = 0, r = b, p = 0, and r.r.
__global__ void start(arrays s) {
  double sum = 0;
  for (int i = first_row(s) + threadIdx.x; i < end_row(s); i += threads) {
    const double r = s.b[i];
    s.x[i] = 0;
    s.r[i] = r;
    s.p[i] = 0;
    sum = fma(r, r, sum);
  }
  leave_sum(sum, s.rr[0]);
  if (threadIdx.x == 0) s.rr[1][blockIdx.x] = 0;  // no iteration before the first
}

// p = r + beta p with beta = r.r / (r.r of the iteration before), 0 in the first one.
__global__ void direction(arrays s, const double* rr_parts, const double* parts_before) {
  const double rr = total(rr_parts), before = total(parts_before);
  const double beta = before > 0 ? rr / before : 0;
  for (int i = first_row(s) + threadIdx.x; i < end_row(s); i += threads)
    s.p[i] = fma(beta, s.p[i], s.r[i]);
}

// [product begin]
// q = A p, and p.q.
__global__ void product(arrays s) {
  double sum = 0;
  for (int i = first_row(s) + threadIdx.x; i < end_row(s); i += threads) {
    const double q = row_times(s.col, s.val, s.row_ptr[i], s.row_ptr[i + 1], s.p);
    s.q[i] = q;
    sum = fma(s.p[i], q, sum);
  }
  leave_sum(sum, s.pq);
}
// [product end]

// x += alpha p and r -= alpha q with alpha = r.r / p.q, and the next r.r. A block may be done while
// another one still reads this iteration's parts: so those of the next have an array of their own.
__global__ void residual(arrays s, const double* rr_parts, double* parts_after) {
  const double rr = total(rr_parts), pq = total(s.pq);
  const double alpha = pq > 0 ? rr / pq : 0;
  double sum = 0;
  for (int i = first_row(s) + threadIdx.x; i < end_row(s); i += threads) {
    s.x[i] = fma(alpha, s.p[i], s.x[i]);
    const double r = fma(-alpha, s.q[i], s.r[i]);
    s.r[i] = r;
    sum = fma(r, r, sum);
  }
  leave_sum(sum, parts_after);
}

int main(int argc, char** argv) {
  const request wanted = parse(argc, argv);
  const cudaDeviceProp gpu = find_gpu();
  const int blocks = gpu.multiProcessorCount;
  const csr a = poisson(wanted.side);
  const std::vector<double> b = right_hand_side(a.rows);
  const arrays s = upload(a, b, blocks);

  outcome of{"1_host_loop", gpu.name};
  // [loop begin]
  of.us = time_of(s, wanted.iterations, [&] {
    start<<<blocks, threads>>>(s);
    for (int k = 0; k < wanted.iterations; ++k) {
      double *rr = s.rr[k % 2], *other = s.rr[(k + 1) % 2];  // this iteration; before, then next
      direction<<<blocks, threads>>>(s, rr, other);
      product<<<blocks, threads>>>(s);
      residual<<<blocks, threads>>>(s, rr, other);
    }
    check(cudaGetLastError(), "a launch");
  });
  // [loop end]
  // Elements: r, p, p of direction; p, q of product; p, q, x, r, x, r of residual. And the matrix.
  of.bytes = 8.0 * 11 * a.rows + 12.0 * a.row_ptr.back() + 4.0 * (a.rows + 1);
  download(s, s.rr[wanted.iterations % 2], blocks, of);
  return report(a, b, wanted, of);
}
