// SPDX-License-Identifier: MIT
// The f64 steps of mixed precision on a GPU, of a build without CUDA.
#include "dwell/base/error.hpp"
#include "dwell/solvers/linear/mixed/mixed_steps.hpp"

namespace dwell {

const mixed_steps& cuda_mixed_steps() { throw device_error(find_cuda().reason); }

}  // namespace dwell
