// SPDX-License-Identifier: MIT
// The steps of a batch on a GPU, of a build without CUDA.
#include "dwell/base/error.hpp"
#include "dwell/solvers/linear/batch/batch_steps.hpp"

namespace dwell {

template <class T>
const batch_steps<T>& cuda_batch_steps() {
  throw device_error(find_cuda().reason);
}

template const batch_steps<double>& cuda_batch_steps();
template const batch_steps<float>& cuda_batch_steps();

}  // namespace dwell
