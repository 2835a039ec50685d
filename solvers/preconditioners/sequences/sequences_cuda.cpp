// SPDX-License-Identifier: MIT
// Preconditioners that are sequences on a GPU.
#include <string>

#include "dwell/execution/team/dense_workspace_cuda.cuh"
#include "dwell/execution/team/row_table_cuda.cuh"
#include "dwell/execution/team/summing_loops_cuda.hpp"
#include "dwell/solvers/preconditioners/block_jacobi/building.hpp"
#include "dwell/solvers/preconditioners/chebyshev/building.hpp"
#include "dwell/solvers/preconditioners/fsai/building.hpp"
#include "dwell/solvers/preconditioners/ilu0/building.hpp"
#include "dwell/solvers/preconditioners/sequences/equilibrating.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up_table.hpp"

namespace dwell {
namespace sequences {

// The kernels of set-ups.
struct unit_kernels {
  static std::string about() { return "units of preconditioners"; }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {
      "dwell/execution/team/setup_kernels_cuda.cuh", "dwell/execution/team/sums_before_steps.hpp",
      "dwell/execution/krylov/products/slice_steps.hpp",
      "dwell/solvers/preconditioners/sequences/unit_steps.hpp",
      "dwell/solvers/preconditioners/sequences/steps.hpp"};
};
struct fsai_kernels {
  static std::string about() { return "set-up of fsai"; }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/execution/team/setup_kernels_cuda.cuh",
                                            "dwell/execution/team/sums_before_steps.hpp",
                                            "dwell/execution/krylov/products/slice_steps.hpp",
                                            "dwell/execution/team/dense_workspace_cuda.cuh",
                                            "dwell/execution/team/row_table_cuda.cuh",
                                            "dwell/solvers/preconditioners/amg/product_steps.hpp",
                                            "dwell/solvers/preconditioners/fsai/steps.hpp",
                                            "dwell/solvers/preconditioners/sequences/steps.hpp"};
};
struct block_jacobi_kernels {
  static std::string about() { return "set-up of block-jacobi"; }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/execution/team/setup_kernels_cuda.cuh",
                                            "dwell/execution/team/sums_before_steps.hpp",
                                            "dwell/execution/krylov/products/slice_steps.hpp",
                                            "dwell/solvers/preconditioners/block_jacobi/steps.hpp",
                                            "dwell/solvers/preconditioners/sequences/steps.hpp"};
};
struct ilu0_kernels {
  static std::string about() { return "set-up of ilu0"; }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/execution/team/setup_kernels_cuda.cuh",
                                            "dwell/execution/team/sums_before_steps.hpp",
                                            "dwell/execution/krylov/products/slice_steps.hpp",
                                            "dwell/solvers/preconditioners/ilu0/steps.hpp",
                                            "dwell/solvers/preconditioners/sequences/steps.hpp"};
};
struct complex_ilu0_kernels : ilu0_kernels {
  static std::string about() { return "set-up of complex ilu0"; }
  static std::string group() { return about(); }
};
struct chebyshev_kernels {
  static std::string about() { return "set-up of chebyshev"; }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/execution/team/setup_kernels_cuda.cuh",
                                            "dwell/execution/team/sums_before_steps.hpp",
                                            "dwell/execution/krylov/products/slice_steps.hpp",
                                            "dwell/solvers/preconditioners/chebyshev/steps.hpp",
                                            "dwell/solvers/preconditioners/sequences/steps.hpp"};
};

}  // namespace sequences

namespace {

template <class Kernels>
using loops = cuda::summing_loops<Kernels>;

template <class Builder, class T>
prepared_preconditioner build(const device& where, const csr_arrays<T>& a,
                              const preconditioner_options& o) {
  return Builder(where).build(a, o);
}
template <class T>
void find_units(const device& where, const csr_arrays<T>& a, bool with_values, matrix_units& to) {
  using units_on_cuda = sequences::equilibration<loops<sequences::unit_kernels>>;
  units_on_cuda(where).find(a, with_values, to);
}

using fsai_builder = fsai::builder<loops<sequences::fsai_kernels>, cuda::row_table<1024, 32>,
                                   cuda::dense_workspace<fsai::workspace_doubles>>;
template <class T>
constexpr chain_set_ups<T> on_cuda = {
    &build<fsai_builder, T>,
    &build<block_jacobi::builder<loops<sequences::block_jacobi_kernels>>, T>,
    &build<ilu0::builder<loops<sequences::ilu0_kernels>, double>, T>,
    &build<chebyshev::builder<loops<sequences::chebyshev_kernels>>, T>, &find_units<T>};

template <class R>
constexpr complex_set_ups<complex_value<R>> complex_on_cuda = {
    &build<ilu0::builder<loops<sequences::complex_ilu0_kernels>, complex_value<double>>,
           complex_value<R>>};

}  // namespace

template <>
const chain_set_ups<double>& cuda_backend() {
  return on_cuda<double>;
}
template <>
const chain_set_ups<float>& cuda_backend() {
  return on_cuda<float>;
}
template <>
const complex_set_ups<complex_value<double>>& cuda_backend() {
  return complex_on_cuda<double>;
}
template <>
const complex_set_ups<complex_value<float>>& cuda_backend() {
  return complex_on_cuda<float>;
}

}  // namespace dwell
