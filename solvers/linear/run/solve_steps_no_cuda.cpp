// SPDX-License-Identifier: MIT
// A build without CUDA.
#include "dwell/base/error.hpp"
#include "dwell/solvers/linear/run/solve_steps_cuda.hpp"

namespace dwell {

template <class T>
const solve_steps<T>& cuda_solve_steps() {
  throw device_error(find_cuda().reason);
}

template const solve_steps<double>& cuda_solve_steps();
template const solve_steps<float>& cuda_solve_steps();

}  // namespace dwell
