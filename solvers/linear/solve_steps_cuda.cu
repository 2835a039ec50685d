// SPDX-License-Identifier: MIT
// The steps of a solve on a GPU: five small kernels in the device's stream (seven where
// the matrix has a null space), and no wait.
#include "dwell/execution/vectors/ordered_pass.cuh"
#include "dwell/solvers/linear/row_sums.cuh"
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
void end(const device& where, const solve_places<T>& at) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  if (at.null_space)
    cuda::run_pass(where, at.a.rows, solve_pass::mean_of_answer<T>{{}, at}, scratch_of(at));
  cuda::run_pass(where, at.a.rows, solve_pass::answer<T>{{}, at}, scratch_of(at));
  cuda::sum_rows(where, solve_pass::residual_row<T>{at}, at.a.rows, at.residual);
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
