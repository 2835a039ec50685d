// SPDX-License-Identifier: MIT
// Cuts on a GPU, of matrices and of sequences of products.
#include <string>

#include "dwell/execution/krylov/products/sequence_shares.hpp"
#include "dwell/execution/krylov/spmv/cutting.hpp"
#include "dwell/execution/team/setup_loops_cuda.hpp"

namespace dwell {
namespace cutting {

/// The kernels of cuts.
template <class T>
struct cut_kernels {
  static std::string about() { return cuda::in_precision<T>("cuts of matrices"); }
  static std::string group() { return cuda::in_precision<T>("solves"); }
  static constexpr const char* headers[] = {
      "dwell/execution/team/setup_kernels_cuda.cuh", "dwell/execution/krylov/spmv/cut_steps.hpp",
      "dwell/execution/krylov/spmv/fill_steps.hpp", "dwell/execution/krylov/spmv/ghost_steps.hpp"};
};
/// And of sequences of products.
struct share_kernels {
  static std::string about() { return "cuts of preconditioners"; }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/execution/team/setup_kernels_cuda.cuh",
                                            "dwell/execution/krylov/products/slice_steps.hpp"};
};

}  // namespace cutting

namespace {

template <class T>
using loops = cuda::setup_loops<cutting::cut_kernels<T>>;

product_sequence share_out(const device& where, const owned_sequence& from, int teams,
                           sequence_shares& shares) {
  return slicing::share_out(cuda::setup_loops<cutting::share_kernels>(where), where, from, teams,
                            shares);
}

template <class T>
constexpr cut_functions<T> cut_on_cuda = {&cutting::cut_with<loops<T>>,
                                          &cutting::fill_all<loops<T>, T>,
                                          &cutting::fill_values_again<loops<T>, T>};
constexpr chain_functions chain_on_cuda = {&share_out};

}  // namespace

template <>
const cut_functions<double>& cuda_backend() {
  return cut_on_cuda<double>;
}
template <>
const cut_functions<float>& cuda_backend() {
  return cut_on_cuda<float>;
}
template <>
const cut_functions<complex_value<double>>& cuda_backend() {
  return cut_on_cuda<complex_value<double>>;
}
template <>
const cut_functions<complex_value<float>>& cuda_backend() {
  return cut_on_cuda<complex_value<float>>;
}
template <>
const chain_functions& cuda_backend() {
  return chain_on_cuda;
}

}  // namespace dwell
