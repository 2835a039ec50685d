// SPDX-License-Identifier: MIT
// Kernels of the steps of a batch: a block takes the chunks of a pass one after the other and puts
// them together in the order of ordered_pass.cuh.
#pragma once
#include <cstdint>

#include "dwell/execution/device/loops/ordered_pass.cuh"
#include "dwell/solvers/linear/batch/batch_places.hpp"
#include "dwell/solvers/linear/run/residual_passes.hpp"
#include "dwell/solvers/linear/run/solve_passes.hpp"

namespace dwell::batch_pass {

/// A pass over n elements by all threads of a block, which see its conclusion afterwards.
/// workspace: shared memory, pass_lanes x solve_totals.
template <class Pass>
__device__ void block_pass(index n, const Pass& pass, double* workspace) {
  static_assert(Pass::totals <= solve_totals);
  const auto lane = reinterpret_cast<double(*)[Pass::totals]>(workspace);
  const int l = static_cast<int>(threadIdx.x);
  const auto constants = pass.constants();
  double all[Pass::totals] = {};  // totals of chunks l, l + 256, ...
  for (index c = 0; c < pass_chunks(n); ++c) {
    double acc[Pass::totals] = {};
    const std::int64_t first = static_cast<std::int64_t>(c) * pass_chunk;
    for (std::int64_t i = first + l; i < first + pass_chunk && i < n; i += pass_lanes)
      pass.element(static_cast<index>(i), constants, acc);
    for (int k = 0; k < Pass::totals; ++k) lane[l][k] = acc[k];
    cuda::fold_lanes<Pass>(lane);
    if (l == static_cast<int>(c % pass_lanes)) Pass::combine(all, lane[0]);
    __syncthreads();
  }
  for (int k = 0; k < Pass::totals; ++k) lane[l][k] = all[k];
  cuda::fold_lanes<Pass>(lane);
  if (l == 0) pass.conclude(lane[0]);
  __syncthreads();
}

template <class T>
__device__ void block_residual(const solve_places<T>& at) {
  using row = solve_pass::residual_row<T>;
  constexpr index at_once = pass_lanes / row::lanes;
  const int lane = static_cast<int>(threadIdx.x) % row::lanes;
  const row rows{at};
  const auto constants = rows.constants();
  for (index first = 0; first < at.a.rows; first += at_once) {
    const index i = first + static_cast<index>(threadIdx.x) / row::lanes;
    double sum[row::sums] = {};
    if (i < at.a.rows) rows.part(i, lane, constants, sum);
    for (int half = row::lanes / 2; half > 0; half /= 2)
      for (int k = 0; k < row::sums; ++k) sum[k] += __shfl_down_sync(~0u, sum[k], half, row::lanes);
    if (lane == 0 && i < at.a.rows) rows.put(i, constants, sum);
  }
  __syncthreads();
}

template <class T>
__global__ void __launch_bounds__(pass_lanes) begin_kernel(const batch_places<T> all) {
  __shared__ double workspace[pass_lanes * solve_totals];
  const solve_places<T> at = all.of(static_cast<int>(blockIdx.x));
  block_pass(at.a.rows, solve_pass::validate<T>{at}, workspace);
  block_pass(at.a.rows, solve_pass::load<T>{{}, at}, workspace);
}

template <class T>
__global__ void __launch_bounds__(pass_lanes) end_kernel(const batch_places<T> all) {
  __shared__ double workspace[pass_lanes * solve_totals];
  const solve_places<T> at = all.of(static_cast<int>(blockIdx.x));
  block_pass(at.a.rows, solve_pass::answer<T>{at}, workspace);
  block_residual(at);
  block_pass(at.a.rows, solve_pass::sum_up<T>{at}, workspace);
}

template <class T>
__global__ void __launch_bounds__(pass_lanes) weigh_kernel(const batch_places<T> all) {
  __shared__ double workspace[pass_lanes * solve_totals];
  const solve_places<T> at = all.of(static_cast<int>(blockIdx.x));
  block_residual(at);
  block_pass(at.a.rows, solve_pass::sum_up<T>{at}, workspace);
}

template <class T>
__global__ void __launch_bounds__(pass_lanes)
    restore_kernel(const batch_places<T> all, const int* which) {
  const int system = static_cast<int>(blockIdx.x);
  if (!which[system]) return;
  const solve_places<T> at = all.of(system);
  for (std::int64_t i = threadIdx.x; i < at.a.rows; i += pass_lanes)
    at.x[i] = at.run_x_at(static_cast<index>(i));
}

}  // namespace dwell::batch_pass
