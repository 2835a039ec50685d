// SPDX-License-Identifier: MIT
// The steps of a solve on a GPU: five small kernels in the device's stream (two more where
// the matrix has a null space, or for each null vector that is given), and no wait. Of several
// ranks the totals of a pass are joined by a message, after which another kernel concludes it.
#include "dwell/execution/comm/device_halo.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/loops/ordered_pass.cuh"
#include "dwell/solvers/linear/run/product_passes.hpp"
#include "dwell/solvers/linear/run/residual_passes.hpp"
#include "dwell/solvers/linear/run/row_sums.cuh"
#include "dwell/solvers/linear/run/solve_passes.hpp"

namespace dwell {
namespace {

template <class T>
cuda::pass_scratch scratch_of(const solve_places<T>& at) {
  return {at.partial, at.done};
}

/// A pass that ends with its totals.
template <class Pass>
struct totals_of {
  static constexpr int totals = Pass::totals;
  static_assert(totals <= solve_totals);
  Pass pass;
  double* to;

  DWELL_HD auto constants() const { return pass.constants(); }
  template <class Constants>
  DWELL_HD void element(index i, const Constants& constants, double* acc) const {
    pass.element(i, constants, acc);
  }
  DWELL_HD static void combine(double* to, const double* from) { Pass::combine(to, from); }
  DWELL_HD void conclude(const double* acc) const {
    for (int k = 0; k < totals; ++k) to[k] = acc[k];
  }
};

/// In the order of the ranks.
template <class Pass>
__global__ void conclude_kernel(const Pass pass, const double* all, int ranks) {
  double acc[Pass::totals];
  for (int k = 0; k < Pass::totals; ++k) acc[k] = all[k];
  for (int r = 1; r < ranks; ++r) Pass::combine(acc, all + r * Pass::totals);
  pass.conclude(acc);
}

/// Over the rows here; the totals are those of all ranks.
template <class Pass, class T>
void run(const device& where, const solve_places<T>& at, const Pass& pass) {
  if (!at.ranks) return cuda::run_pass(where, at.a.rows, pass, scratch_of(at));
  double* const mine = at.rank_totals;
  double* const all = at.rank_totals + solve_totals;
  cuda::run_pass(where, at.a.rows, totals_of<Pass>{pass, mine}, scratch_of(at));
  at.ranks->gpus->all_gather(mine, Pass::totals, all, where.stream());
  conclude_kernel<<<1, 1, 0, static_cast<cudaStream_t>(where.stream())>>>(pass, all,
                                                                          at.ranks->gpus->size());
  DWELL_CUDA(cudaGetLastError());
}

/// Where there is no answer to take, the start vector is what the residual is of.
template <class T>
__global__ void take_start_kernel(const solve_places<T> at) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < at.a.rows && !at.numbers->has_answer) at.run_x_at(static_cast<index>(i)) = at.x[i];
}

/// The elements that other ranks have as ghosts.
template <class T>
void exchange_answers(const device& where, std::span<const solve_places<T>> columns) {
  if (!columns.front().ranks) return;
  constexpr index lanes = 256;
  const index rows = columns.front().a.rows, blocks = rows > 0 ? (rows - 1) / lanes + 1 : 0;
  if (blocks > 0 && !columns.front().weighing)
    for (const solve_places<T>& at : columns)
      take_start_kernel<<<static_cast<unsigned>(blocks), lanes, 0,
                          static_cast<cudaStream_t>(where.stream())>>>(at);
  DWELL_CUDA(cudaGetLastError());
  columns.front().ghosts_of_x_there->run(where.stream());
}

template <class T>
void begin(const device& where, const solve_places<T>& at) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  run(where, at, solve_pass::validate<T>{at});
  if (at.null_space) run(where, at, solve_pass::means<T>{{}, at});
  for (int k = 0; k < at.null_count; ++k) run(where, at, solve_pass::parts_of_start<T>{{}, at, k});
  run(where, at, solve_pass::load<T>{{}, at});
}

template <class T>
void weigh(const device& where, std::span<const solve_places<T>> columns) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  exchange_answers(where, columns);
  for (const solve_places<T>& at : columns) {
    cuda::sum_rows(where, solve_pass::residual_row<T>{at}, at.a.rows);
    run(where, at, solve_pass::sum_up<T>{at});
  }
}

template <class T>
void end(const device& where, std::span<const solve_places<T>> columns) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  for (const solve_places<T>& at : columns) {
    if (at.null_space) run(where, at, solve_pass::mean_of_answer<T>{{}, at});
    for (int k = 0; k < at.null_count; ++k)
      run(where, at, solve_pass::parts_of_answer<T>{{}, at, k});
    run(where, at, solve_pass::answer<T>{at});
  }
  weigh<T>(where, columns);
}

template <class T>
__global__ void restore_kernel(const solve_places<T> at) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < at.a.rows) at.x[i] = at.run_x_at(static_cast<index>(i));
}

template <class T>
void restore(const device& where, const solve_places<T>& at) {
  constexpr index lanes = 256;
  if (at.a.rows == 0) return;
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  restore_kernel<<<static_cast<unsigned>((at.a.rows - 1) / lanes + 1), lanes, 0,
                   static_cast<cudaStream_t>(where.stream())>>>(at);
  DWELL_CUDA(cudaGetLastError());
}

template <class T>
void product(const device& where, const product_places<T>& at) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  for (const bool magnitudes : {false, true}) {
    cuda::sum_rows(where, solve_pass::product_row<T>{at, magnitudes}, at.a.rows);
    cuda::run_pass(where, at.a.rows, solve_pass::square_of_product<T>{{}, at, magnitudes},
                   {at.partial, at.done});
  }
}

template <class T>
constexpr solve_steps<T> on_cuda = {&begin<T>, &end<T>, &weigh<T>, &restore<T>, &product<T>};

}  // namespace

template <>
const solve_steps<double>& cuda_backend() {
  return on_cuda<double>;
}
template <>
const solve_steps<float>& cuda_backend() {
  return on_cuda<float>;
}

}  // namespace dwell
