// SPDX-License-Identifier: MIT
// The steps of a solve on a GPU: five small kernels in the device's stream (seven where
// the matrix has a null space), and no wait.
#include "dwell/execution/vectors/ordered_pass.cuh"
#include "dwell/solvers/linear/solve_passes.hpp"
#include "dwell/solvers/linear/solve_steps_cuda.hpp"

namespace dwell {
namespace {

template <class T>
cuda::pass_scratch scratch_of(const solve_places<T>& at) {
  return {at.partial, at.done};
}

template <class T>
void begin(const device& where, const solve_places<T>& at) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  cuda::run_pass(where, at.a.rows, solve_pass::examine<T>{at}, scratch_of(at));
  if (at.null_space) cuda::run_pass(where, at.a.rows, solve_pass::means<T>{{}, at}, scratch_of(at));
  cuda::run_pass(where, at.a.rows, solve_pass::load<T>{{}, at}, scratch_of(at));
}

template <class T>
__global__ void __launch_bounds__(pass_lanes) residual_kernel(const solve_places<T> at) {
  using row = solve_pass::residual_row<T>;
  const int lane = static_cast<int>(threadIdx.x) % row::lanes;
  const std::int64_t i =
      (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / row::lanes;
  const row rows{at};
  const auto constants = rows.constants();
  double sum = i < at.a.rows ? rows.part(static_cast<index>(i), lane, constants) : 0.0;
  for (int half = row::lanes / 2; half > 0; half /= 2)
    sum += __shfl_down_sync(~0u, sum, half, row::lanes);
  if (lane == 0 && i < at.a.rows) at.residual[i] = sum;
}

template <class T>
void end(const device& where, const solve_places<T>& at) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  if (at.null_space)
    cuda::run_pass(where, at.a.rows, solve_pass::mean_of_answer<T>{{}, at}, scratch_of(at));
  cuda::run_pass(where, at.a.rows, solve_pass::answer<T>{{}, at}, scratch_of(at));
  constexpr int rows_per_block = pass_lanes / solve_pass::residual_row<T>::lanes;
  if (at.a.rows > 0) {
    residual_kernel<<<static_cast<unsigned>((at.a.rows - 1) / rows_per_block + 1), pass_lanes, 0,
                      static_cast<cudaStream_t>(where.stream())>>>(at);
    DWELL_CUDA(cudaGetLastError());
  }
  cuda::run_pass(where, at.a.rows, solve_pass::sum_up<T>{{}, at}, scratch_of(at));
}

template <class T>
constexpr solve_steps<T> on_cuda = {&begin<T>, &end<T>};

}  // namespace

template <class T>
const solve_steps<T>& cuda_solve_steps() {
  return on_cuda<T>;
}

template const solve_steps<double>& cuda_solve_steps();
template const solve_steps<float>& cuda_solve_steps();

}  // namespace dwell
