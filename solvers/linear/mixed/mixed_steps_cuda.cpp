// SPDX-License-Identifier: MIT
// The f64 steps of mixed precision on a GPU: small kernels in the device's stream, and no wait.
#include <string>

#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/loops/ordered_pass_cuda.hpp"
#include "dwell/execution/team/setup_loops_cuda.hpp"
#include "dwell/solvers/linear/mixed/mixed_loops.hpp"
#include "dwell/solvers/linear/mixed/mixed_passes.hpp"
#include "dwell/solvers/linear/mixed/mixed_steps.hpp"
#include "dwell/solvers/linear/run/row_sums_cuda.hpp"

namespace dwell {
namespace mixed_pass {

/// The kernels of mixed precision.
struct mixed_kernels {
  static std::string about() { return "steps of mixed precision"; }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/execution/device/loops/ordered_pass.cuh",
                                            "dwell/execution/team/setup_kernels_cuda.cuh",
                                            "dwell/solvers/linear/mixed/mixed_passes.hpp",
                                            "dwell/solvers/linear/run/row_sums.cuh"};
};

}  // namespace mixed_pass

namespace {

using kernels = mixed_pass::mixed_kernels;

void residual(const device& where, const residual_places& at) {
  const cuda::current_device here(where.ordinal());
  cuda::sum_rows<kernels>(where, mixed_pass::residual_row{at}, at.a.rows);
  cuda::run_pass<kernels>(where, at.a.rows, mixed_pass::sum_up{at}, {at.partial, at.done});
}

using loops = cuda::setup_loops<kernels>;
constexpr mixed_steps mixed_on_cuda = {&residual, &mixed_pass::narrow_with<loops>,
                                       &mixed_pass::add_with<loops>,
                                       &mixed_pass::clear_with<loops>};

}  // namespace

template <>
const mixed_steps& cuda_backend() {
  return mixed_on_cuda;
}

}  // namespace dwell
