// SPDX-License-Identifier: MIT
// Cuts on a GPU, of matrices and of chains of products.
#include "dwell/execution/krylov/products/chain_shares.hpp"
#include "dwell/execution/krylov/spmv/cut_backends.hpp"
#include "dwell/execution/krylov/spmv/cutting.hpp"
#include "dwell/execution/team/setup_cuda.cuh"

namespace dwell {

cut_pattern cut_on_cuda(const device& where, const cutting::csr_pattern& a,
                        const cut_request& asked) {
  return cutting::cut_with<cuda::setup_loops>(where, a, asked);
}

template <class T>
void fill_on_cuda(const device& where, const csr_arrays<T>& a, int exponent, cut_matrix<T>& m) {
  cutting::fill_all<cuda::setup_loops>(where, a, exponent, m);
}

template <class T>
void fill_values_on_cuda(const device& where, const csr_arrays<T>& a, int exponent,
                         cut_matrix<T>& m) {
  cutting::fill_values_again<cuda::setup_loops>(where, a, exponent, m);
}

product_chain share_out_chain_on_cuda(const device& where, const owned_chain& from, int teams,
                                      buffer<index>& shares) {
  return slicing::share_out(cuda::setup_loops(where), where, from, teams, shares);
}

template void fill_on_cuda(const device&, const csr_arrays<double>&, int, cut_matrix<double>&);
template void fill_on_cuda(const device&, const csr_arrays<float>&, int, cut_matrix<float>&);
template void fill_values_on_cuda(const device&, const csr_arrays<double>&, int,
                                  cut_matrix<double>&);
template void fill_values_on_cuda(const device&, const csr_arrays<float>&, int, cut_matrix<float>&);

}  // namespace dwell
