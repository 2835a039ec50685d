// SPDX-License-Identifier: MIT
// A build without CUDA.
#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/fields/device_steps.hpp"

namespace dwell {

template <>
const device_step_functions<double>& cuda_backend() {
  throw device_error(find_cuda().reason);
}
template <>
const device_step_functions<float>& cuda_backend() {
  throw device_error(find_cuda().reason);
}

}  // namespace dwell
