// SPDX-License-Identifier: MIT
// The kernel of a reduction: one launch. A warp takes a chunk at a time and holds 8 lanes of it in
// each of its threads; the last block to end puts the totals of chunks together. Of many chunks
// that would be long work for one block: blocks then form 8 groups, each with the chunks whose
// totals go to 32 of the 256 lanes, and the last block of a group adds these up.
#pragma once
#include <cstdint>

#include "dwell/solvers/arrays/reduce/reduce_scratch.hpp"
#include "dwell/solvers/arrays/reduce/reduce_steps.hpp"

namespace dwell::cuda {

/// V elements that are loaded at once.
template <class T, int V>
struct alignas(sizeof(T) * V) reduce_pack {
  T v[V];
};

template <class T, int V>
__device__ __forceinline__ reduce_pack<T, V> load_pack(const T* at) {
  return *reinterpret_cast<const reduce_pack<T, V>*>(at);
}
/// Those from i on of n; the others change nothing.
template <class Op, class T, int V>
__device__ __forceinline__ reduce_pack<T, V> load_some(const T* from, std::int64_t i,
                                                       std::int64_t n) {
  reduce_pack<T, V> p;
#pragma unroll
  for (int k = 0; k < V; ++k) p.v[k] = i + k < n ? from[i + k] : static_cast<T>(Op::pad());
  return p;
}

/// The total of the chunk that begins at element `first`, to the warp's thread 0. Thread t has
/// lanes 32 V m + V t + k, for all m and k < V, so that a warp's load is of consecutive elements.
template <class Op, class T, int V>
__device__ __forceinline__ double chunk_total(const Op& op, const reduce_arrays<T>& a,
                                              std::int64_t first, int t) {
  constexpr int groups = pass_lanes / (32 * V), rows = pass_chunk / pass_lanes;
  constexpr int rows_at_once = rows / Op::operands;
  double acc[groups][V];
  const bool whole = first + pass_chunk <= a.n;
#pragma unroll
  for (int r0 = 0; r0 < rows; r0 += rows_at_once) {
    reduce_pack<T, V> e[Op::operands][rows_at_once][groups];
    const auto each = [&](auto&& f) {
#pragma unroll
      for (int r = 0; r < rows_at_once; ++r)
#pragma unroll
        for (int m = 0; m < groups; ++m)
          f(r, m, first + (r0 + r) * pass_lanes + 32 * V * m + V * t);
    };
    if (whole)
      each([&](int r, int m, std::int64_t i) {
        e[0][r][m] = load_pack<T, V>(a.x + i);
        if constexpr (Op::operands == 2) e[1][r][m] = load_pack<T, V>(a.y + i);
      });
    else
      each([&](int r, int m, std::int64_t i) {
        e[0][r][m] = load_some<Op, T, V>(a.x, i, a.n);
        if constexpr (Op::operands == 2) e[1][r][m] = load_some<Op, T, V>(a.y, i, a.n);
      });
    each([&](int r, int m, std::int64_t) {
#pragma unroll
      for (int k = 0; k < V; ++k) {
        double v;
        if constexpr (Op::operands == 2)
          v = op.element(static_cast<double>(e[0][r][m].v[k]),
                         static_cast<double>(e[1][r][m].v[k]));
        else
          v = op.element(static_cast<double>(e[0][r][m].v[k]));
        acc[m][k] = r0 + r == 0 ? v : Op::combine(acc[m][k], v);
      }
    });
  }
#pragma unroll
  for (int half = groups / 2; half > 0; half /= 2)
#pragma unroll
    for (int m = 0; m < half; ++m)
#pragma unroll
      for (int k = 0; k < V; ++k) acc[m][k] = Op::combine(acc[m][k], acc[m + half][k]);
#pragma unroll
  for (int half = 16; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < V; ++k)
      acc[0][k] = Op::combine(acc[0][k], __shfl_down_sync(~0u, acc[0][k], half));
#pragma unroll
  for (int half = V / 2; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < half; ++k) acc[0][k] = Op::combine(acc[0][k], acc[0][k + half]);
  return acc[0][0];
}

/// The total of 256 lanes, to thread 0 of the warp that calls.
template <class Op>
__device__ __forceinline__ double lanes_total(const double* lane, int t) {
  double of[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) of[k] = lane[32 * k + t];
#pragma unroll
  for (int half = 4; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < half; ++k) of[k] = Op::combine(of[k], of[k + half]);
#pragma unroll
  for (int half = 16; half > 0; half /= 2)
    of[0] = Op::combine(of[0], __shfl_down_sync(~0u, of[0], half));
  return of[0];
}

/// Says whether the calling block is the last of so many to come here; what the others wrote before
/// is then to be seen.
__device__ __forceinline__ bool last_to_come(unsigned* count, unsigned all, bool* shared) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *shared = atomicAdd(count, 1u) == all - 1;
  __syncthreads();
  const bool last = *shared;
  if (last) __threadfence();
  return last;
}

/// What totals of chunks g * 32 + t + 256 i are together, i = 0, 1, ..., in this order; to thread t
/// of warp 0. The other warps fetch the next ones meanwhile.
template <class Op>
__device__ __forceinline__ double group_lane(const double* partial, std::int64_t chunks, int g,
                                             double (*tile)[32]) {
  constexpr int each = 8, rows = reduce_warps * each;
  const int t = static_cast<int>(threadIdx.x) % 32, w = static_cast<int>(threadIdx.x) / 32;
  double next[each];
  const auto fetch = [&](std::int64_t row) {
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const std::int64_t c = (row + w * each + k) * pass_lanes + g * reduce_group_lanes + t;
      next[k] = c < chunks ? __ldcg(partial + c) : Op::none();
    }
  };
  double acc = Op::none();
  const std::int64_t all = (chunks - 1) / pass_lanes + 1;
  fetch(0);
  for (std::int64_t row = 0; row < all; row += rows) {
    __syncthreads();  // the tile before has been read
#pragma unroll
    for (int k = 0; k < each; ++k) tile[w * each + k][t] = next[k];
    __syncthreads();
    if (row + rows < all) fetch(row + rows);
    if (w == 0) {
#pragma unroll 16
      for (int k = 0; k < rows; ++k) acc = Op::combine(acc, tile[k][t]);
    }
  }
  return acc;
}

/// One block for up to 8 chunks (of 32 threads for one chunk), else as many as there are chunks to
/// share; for more than reduce_one_group a multiple of 8. Width::value elements are loaded at once.
template <class Op, class T, class Width>
__global__ void __launch_bounds__(pass_lanes, 2)
    reduce_kernel(const Op op, const reduce_arrays<T> a, const reduce_scratch scratch, double* to) {
  constexpr int V = Width::value;
  __shared__ double lane[pass_lanes];
  __shared__ double tile[reduce_warps * 8][32];
  __shared__ bool last;
  const int thread = static_cast<int>(threadIdx.x), t = thread % 32, w = thread / 32;
  const std::int64_t chunks = pass_chunks(a.n);
  const auto total_of = [&](std::int64_t c) {
    return chunk_total<Op, T, V>(op, a, c * pass_chunk, t);
  };
  if (chunks == 1) {
    const double total = total_of(0);
    if (thread == 0) *to = reduce_step::result_of<Op>(total);
    return;
  }
  if (chunks <= reduce_alone) {
    lane[thread] = Op::none();
    __syncthreads();
    if (w < chunks) {
      const double total = total_of(w);
      if (t == 0) lane[w] = total;
    }
  } else if (chunks <= reduce_one_group) {
    const std::int64_t blocks = gridDim.x;
    for (std::int64_t c = w * blocks + blockIdx.x; c < chunks; c += reduce_warps * blocks) {
      const double total = total_of(c);
      if (t == 0) scratch.partial[c] = total;
    }
    if (!last_to_come(scratch.counts, gridDim.x, &last)) return;
    double of[reduce_one_group / pass_lanes];
#pragma unroll
    for (int k = 0; k < reduce_one_group / pass_lanes; ++k) {
      const std::int64_t c = thread + k * pass_lanes;
      of[k] = c < chunks ? __ldcg(scratch.partial + c) : Op::none();
    }
    double acc = of[0];
#pragma unroll
    for (int k = 1; k < reduce_one_group / pass_lanes; ++k) acc = Op::combine(acc, of[k]);
    lane[thread] = acc;
    if (thread == 0) *scratch.counts = 0;
  } else {
    // A block takes 8 consecutive chunks, a group every 8 times 4 of these.
    const int g = static_cast<int>(blockIdx.x) % reduce_groups;
    const unsigned blocks = gridDim.x / reduce_groups;
    for (std::int64_t q = blockIdx.x / reduce_groups;; q += blocks) {
      const std::int64_t c = q / 4 * pass_lanes + g * reduce_group_lanes + q % 4 * reduce_warps + w;
      if (c >= chunks) break;
      const double total = total_of(c);
      if (t == 0) scratch.partial[c] = total;
    }
    if (!last_to_come(scratch.counts + 1 + g, blocks, &last)) return;
    const double of_lane = group_lane<Op>(scratch.partial, chunks, g, tile);
    if (w == 0) scratch.lanes[g * reduce_group_lanes + t] = of_lane;
    if (!last_to_come(scratch.counts, reduce_groups, &last)) return;
    lane[thread] = __ldcg(scratch.lanes + thread);
    if (thread <= reduce_groups) scratch.counts[thread] = 0;
  }
  __syncthreads();
  if (w > 0) return;
  const double total = lanes_total<Op>(lane, t);
  if (t == 0) *to = reduce_step::result_of<Op>(total);
}

}  // namespace dwell::cuda
