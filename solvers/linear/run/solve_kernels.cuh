// SPDX-License-Identifier: MIT
// Kernels of solve_steps_cuda.cpp beside the passes: what several ranks add up, and copies.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/solvers/linear/run/solve_places.hpp"

namespace dwell::solve_pass {

/// In the order of the ranks.
template <class Pass>
__global__ void conclude_kernel(const Pass pass, const double* all, int ranks) {
  double acc[Pass::totals];
  for (int k = 0; k < Pass::totals; ++k) acc[k] = all[k];
  for (int r = 1; r < ranks; ++r) Pass::combine(acc, all + r * Pass::totals);
  pass.conclude(acc);
}

/// Where there is no answer to take, the start vector is what the residual is of.
template <class T>
__global__ void take_start_kernel(const solve_places<T> at) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < at.a.rows && !at.numbers->has_answer) at.run_x_at(static_cast<index>(i)) = at.x[i];
}

template <class T>
__global__ void restore_kernel(const solve_places<T> at) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < at.a.rows) at.x[i] = at.run_x_at(static_cast<index>(i));
}

}  // namespace dwell::solve_pass
