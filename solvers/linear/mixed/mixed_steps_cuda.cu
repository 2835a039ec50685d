// SPDX-License-Identifier: MIT
// The f64 steps of mixed precision on a GPU: small kernels in the device's stream, and no wait.
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/team/setup_cuda.cuh"
#include "dwell/solvers/linear/mixed/mixed_passes.hpp"
#include "dwell/solvers/linear/run/row_sums.cuh"

namespace dwell {
namespace {

void residual(const device& where, const residual_places& at) {
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  cuda::sum_rows(where, mixed_pass::residual_row{at}, at.a.rows);
  cuda::run_pass(where, at.a.rows, mixed_pass::sum_up{at}, {at.partial, at.done});
}

using loops = cuda::setup_loops;
constexpr mixed_steps mixed_on_cuda = {&residual, &mixed_pass::narrow_with<loops>,
                                       &mixed_pass::add_with<loops>,
                                       &mixed_pass::clear_with<loops>};

}  // namespace

template <>
const mixed_steps& cuda_backend() {
  return mixed_on_cuda;
}

}  // namespace dwell
