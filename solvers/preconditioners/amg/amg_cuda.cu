// SPDX-License-Identifier: MIT
// Hierarchies on a GPU.
#include "dwell/execution/team/row_table_cuda.cuh"
#include "dwell/execution/team/summing_loops_cuda.cuh"
#include "dwell/solvers/preconditioners/amg/building.hpp"

namespace dwell {
namespace {

using builder = amg::builder<cuda::summing_loops, cuda::row_table>;
template <class T>
constexpr amg_set_up<T> on_cuda = {&amg::make<builder, T>};

}  // namespace

template <>
const amg_set_up<double>& cuda_backend() {
  return on_cuda<double>;
}
template <>
const amg_set_up<float>& cuda_backend() {
  return on_cuda<float>;
}

}  // namespace dwell
