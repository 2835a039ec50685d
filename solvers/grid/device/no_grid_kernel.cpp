// SPDX-License-Identifier: MIT
// A build without CUDA.
#include "dwell/base/error.hpp"
#include "dwell/solvers/grid/device/grid_kernel.hpp"

namespace dwell {

template <>
const grids::grid_kernel_functions<double>& cuda_backend() {
  throw device_error(find_cuda().reason);
}
template <>
const grids::grid_kernel_functions<float>& cuda_backend() {
  throw device_error(find_cuda().reason);
}

}  // namespace dwell
