// SPDX-License-Identifier: MIT
// Cuts on a GPU, of matrices and of sequences of products.
#include "dwell/execution/krylov/products/sequence_shares.hpp"
#include "dwell/execution/krylov/spmv/cutting.hpp"
#include "dwell/execution/team/setup_cuda.cuh"

namespace dwell {
namespace {

using loops = cuda::setup_loops;

product_sequence share_out(const device& where, const owned_sequence& from, int teams,
                           sequence_shares& shares) {
  return slicing::share_out(loops(where), where, from, teams, shares);
}

template <class T>
constexpr cut_functions<T> cut_on_cuda = {&cutting::cut_with<loops>, &cutting::fill_all<loops, T>,
                                          &cutting::fill_values_again<loops, T>};
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
