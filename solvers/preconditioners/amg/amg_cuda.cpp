// SPDX-License-Identifier: MIT
// Hierarchies on a GPU.
#include <string>

#include "dwell/execution/team/row_table_cuda.cuh"
#include "dwell/execution/team/summing_loops_cuda.hpp"
#include "dwell/solvers/preconditioners/amg/building.hpp"

namespace dwell {
namespace amg {

/// The kernels of set-ups: of products by each size of table, and all others.
template <int Part>
struct kernels_of_part;
struct set_up_kernels {
  template <class F>
  static constexpr int part = [] {
    if constexpr (!requires { F::block; })
      return 0;
    else
      return F::lanes < 32 ? 1 : F::block == 256 ? 2 : 3;
  }();
  template <class F>
  using part_of = kernels_of_part<part<F>>;
  static std::string group() { return "set-up of amg"; }
  static constexpr const char* headers[] = {"dwell/execution/team/row_table_cuda.cuh",
                                            "dwell/execution/team/sums_before_steps.hpp",
                                            "dwell/execution/krylov/products/slice_steps.hpp",
                                            "dwell/solvers/preconditioners/amg/mode_fit.hpp",
                                            "dwell/solvers/preconditioners/amg/node_operands.hpp",
                                            "dwell/solvers/preconditioners/amg/node_steps.hpp",
                                            "dwell/solvers/preconditioners/amg/operands.hpp",
                                            "dwell/solvers/preconditioners/amg/product_steps.hpp",
                                            "dwell/solvers/preconditioners/amg/prolong_steps.hpp",
                                            "dwell/solvers/preconditioners/amg/root_steps.hpp",
                                            "dwell/solvers/preconditioners/amg/strength_steps.hpp",
                                            "dwell/solvers/preconditioners/amg/wide_steps.hpp",
                                            "dwell/solvers/preconditioners/sequences/steps.hpp"};
};
template <int Part>
struct kernels_of_part : set_up_kernels {
  static std::string about() { return group() + ", part " + std::to_string(Part + 1); }
};

}  // namespace amg

namespace {

using builder = amg::builder<cuda::summing_loops<amg::set_up_kernels>, cuda::row_table>;
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
