// SPDX-License-Identifier: MIT
// The checks of a system in a GPU's memory.
#include <string>

#include "dwell/execution/team/setup_loops_cuda.hpp"
#include "dwell/solvers/linear/check/validating.hpp"

namespace dwell {
namespace validating {

/// The kernels of checks.
template <class T>
struct check_kernels {
  static std::string about() { return cuda::in_precision<T>("checks of systems"); }
  static std::string group() { return cuda::in_precision<T>("solves"); }
  static constexpr const char* headers[] = {"dwell/execution/team/setup_kernels_cuda.cuh",
                                            "dwell/solvers/linear/check/validate_steps.hpp"};
};

}  // namespace validating

namespace {

template <class T>
using loops = cuda::setup_loops<validating::check_kernels<T>>;
template <class T>
constexpr examine_functions<T> on_cuda = {&validating::validate_with<loops<T>, T>,
                                          &validating::validate_vector_with<loops<T>, T>,
                                          &validating::invert_diagonal_with<loops<T>, T>};

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
