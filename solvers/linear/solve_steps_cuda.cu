// SPDX-License-Identifier: MIT
// The steps of a solve on a GPU: five small kernels in the device's stream (two more where
// the matrix has a null space, or for each null vector that is given), and no wait.
#include "dwell/execution/vectors/ordered_pass.cuh"
#include "dwell/solvers/linear/product_passes.hpp"
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
  for (int k = 0; k < at.null_count; ++k)
    cuda::run_pass(where, at.a.rows, solve_pass::parts_of_start<T>{{}, at, k}, scratch_of(at));
  cuda::run_pass(where, at.a.rows, solve_pass::load<T>{{}, at}, scratch_of(at));
}

template <class T>
void end(const device& where, const solve_places<T>& at) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  if (at.null_space)
    cuda::run_pass(where, at.a.rows, solve_pass::mean_of_answer<T>{{}, at}, scratch_of(at));
  for (int k = 0; k < at.null_count; ++k)
    cuda::run_pass(where, at.a.rows, solve_pass::parts_of_answer<T>{{}, at, k}, scratch_of(at));
  cuda::run_pass(where, at.a.rows, solve_pass::answer<T>{{}, at}, scratch_of(at));
  cuda::sum_rows(where, solve_pass::residual_row<T>{at}, at.a.rows, at.residual);
  cuda::run_pass(where, at.a.rows, solve_pass::sum_up<T>{{}, at}, scratch_of(at));
}

template <class T>
void product(const device& where, const product_places<T>& at) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  for (const bool magnitudes : {false, true}) {
    cuda::sum_rows(where, solve_pass::product_row<T>{at, magnitudes}, at.a.rows, at.product);
    cuda::run_pass(where, at.a.rows, solve_pass::square_of_product<T>{{}, at, magnitudes},
                   {at.partial, at.done});
  }
}

template <class T>
constexpr solve_steps<T> on_cuda = {&begin<T>, &end<T>, &product<T>};

}  // namespace

template <class T>
const solve_steps<T>& cuda_solve_steps() {
  return on_cuda<T>;
}

template const solve_steps<double>& cuda_solve_steps();
template const solve_steps<float>& cuda_solve_steps();

}  // namespace dwell
