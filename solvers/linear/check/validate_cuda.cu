// SPDX-License-Identifier: MIT
// The checks of a system in a GPU's memory.
#include "dwell/execution/team/setup_cuda.cuh"
#include "dwell/solvers/linear/check/validating.hpp"

namespace dwell {
namespace {

using loops = cuda::setup_loops;
template <class T>
constexpr examine_functions<T> on_cuda = {&validating::validate_with<loops, T>,
                                          &validating::validate_vector_with<loops, T>,
                                          &validating::invert_diagonal_with<loops, T>};

}  // namespace

template <>
const examine_functions<double>& cuda_backend() {
  return on_cuda<double>;
}
template <>
const examine_functions<float>& cuda_backend() {
  return on_cuda<float>;
}

}  // namespace dwell
