// SPDX-License-Identifier: MIT
// Hierarchies on a GPU.
#include <string>
#include <type_traits>

#include "dwell/execution/team/row_table_cuda.cuh"
#include "dwell/execution/team/summing_loops_cuda.hpp"
#include "dwell/solvers/preconditioners/amg/building.hpp"

namespace dwell {
namespace amg {

/// Functors of classical coarsening, which only those wait for who ask for it.
template <class F, class... Any>
constexpr bool one_of = (std::is_same_v<F, Any> || ...);
template <class F>
constexpr bool is_classical =
    one_of<F, find_strongest, find_dependences, look_for_coarse, decide_coarse, count_coarse,
           find_kinds, sum_to_coarse, interpolate>;
template <class F>
requires requires { F::left; }
constexpr bool is_classical<F> = std::is_same_v<decltype(F::left), dependences>;

/// The kernels of set-ups: of products by each size of table, of classical coarsening, and all
/// others.
template <int Part>
struct kernels_of_part;
struct set_up_kernels {
  template <class F>
  static constexpr int part = [] {
    if constexpr (is_classical<F>)
      return 4;
    else if constexpr (!requires { F::block; })
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

template <>
struct kernels_of_part<4> : set_up_kernels {
  static std::string about() { return group() + ", classical coarsening"; }
  static constexpr const char* headers[] = {"dwell/execution/team/row_table_cuda.cuh",
                                            "dwell/solvers/preconditioners/amg/classical_steps.hpp",
                                            "dwell/solvers/preconditioners/amg/product_steps.hpp"};
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
