// SPDX-License-Identifier: MIT
// Cuts on a GPU, of a build without CUDA.
#include "dwell/base/error.hpp"
#include "dwell/execution/krylov/spmv/cut_backends.hpp"

namespace dwell {

cut_pattern cut_on_cuda(const device&, const cutting::csr_pattern&, const cut_request&) {
  throw device_error(find_cuda().reason);
}

template <class T>
void fill_on_cuda(const device&, const csr_arrays<T>&, int, cut_matrix<T>&) {
  throw device_error(find_cuda().reason);
}

template <class T>
void fill_values_on_cuda(const device&, const csr_arrays<T>&, int, cut_matrix<T>&) {
  throw device_error(find_cuda().reason);
}

product_chain share_out_chain_on_cuda(const device&, const owned_chain&, int, buffer<index>&) {
  throw device_error(find_cuda().reason);
}

template void fill_on_cuda(const device&, const csr_arrays<double>&, int, cut_matrix<double>&);
template void fill_on_cuda(const device&, const csr_arrays<float>&, int, cut_matrix<float>&);
template void fill_values_on_cuda(const device&, const csr_arrays<double>&, int,
                                  cut_matrix<double>&);
template void fill_values_on_cuda(const device&, const csr_arrays<float>&, int, cut_matrix<float>&);

}  // namespace dwell
