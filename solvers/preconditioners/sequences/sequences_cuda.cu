// SPDX-License-Identifier: MIT
// Preconditioners that are sequences on a GPU: one file, for CUB and the steps of slices take long
// to compile.
#include "dwell/execution/team/dense_workspace_cuda.cuh"
#include "dwell/execution/team/row_table_cuda.cuh"
#include "dwell/execution/team/summing_loops_cuda.cuh"
#include "dwell/solvers/preconditioners/block_jacobi/building.hpp"
#include "dwell/solvers/preconditioners/chebyshev/building.hpp"
#include "dwell/solvers/preconditioners/fsai/building.hpp"
#include "dwell/solvers/preconditioners/ilu0/building.hpp"
#include "dwell/solvers/preconditioners/sequences/equilibrating.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up_table.hpp"

namespace dwell {
namespace {

using loops = cuda::summing_loops;

template <class Builder, class T>
prepared_preconditioner build(const device& where, const csr_arrays<T>& a,
                              const preconditioner_options& o) {
  return Builder(where).build(a, o);
}
template <class T>
void find_units(const device& where, const csr_arrays<T>& a, bool with_values, matrix_units& to) {
  using units_on_cuda = sequences::equilibration<loops>;
  units_on_cuda(where).find(a, with_values, to);
}

using fsai_builder =
    fsai::builder<loops, cuda::row_table<1024, 32>, cuda::dense_workspace<fsai::workspace_doubles>>;
template <class T>
constexpr chain_set_ups<T> on_cuda = {
    &build<fsai_builder, T>, &build<block_jacobi::builder<loops>, T>,
    &build<ilu0::builder<loops>, T>, &build<chebyshev::builder<loops>, T>, &find_units<T>};

}  // namespace

template <>
const chain_set_ups<double>& cuda_backend() {
  return on_cuda<double>;
}
template <>
const chain_set_ups<float>& cuda_backend() {
  return on_cuda<float>;
}

}  // namespace dwell
