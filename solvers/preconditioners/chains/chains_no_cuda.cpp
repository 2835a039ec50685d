// SPDX-License-Identifier: MIT
// Preconditioners that are chains on a GPU, of a build without CUDA.
#include "dwell/base/error.hpp"
#include "dwell/solvers/preconditioners/chains/backends.hpp"

namespace dwell {

template <class T>
made_preconditioner fsai_on_cuda(const device&, const csr_arrays<T>&,
                                 const preconditioner_options&) {
  throw device_error(find_cuda().reason);
}
template <class T>
made_preconditioner block_jacobi_on_cuda(const device&, const csr_arrays<T>&,
                                         const preconditioner_options&) {
  throw device_error(find_cuda().reason);
}
template <class T>
made_preconditioner ilu0_on_cuda(const device&, const csr_arrays<T>&,
                                 const preconditioner_options&) {
  throw device_error(find_cuda().reason);
}
template <class T>
made_preconditioner chebyshev_on_cuda(const device&, const csr_arrays<T>&,
                                      const preconditioner_options&) {
  throw device_error(find_cuda().reason);
}

template <class T>
void find_units_on_cuda(const device&, const csr_arrays<T>&, bool, matrix_units&) {
  throw device_error(find_cuda().reason);
}
template void find_units_on_cuda(const device&, const csr_arrays<double>&, bool, matrix_units&);
template void find_units_on_cuda(const device&, const csr_arrays<float>&, bool, matrix_units&);

#define DWELL_INSTANTIATE(make, T)                                       \
  template made_preconditioner make(const device&, const csr_arrays<T>&, \
                                    const preconditioner_options&);
#define DWELL_INSTANTIATE_BOTH(make) DWELL_INSTANTIATE(make, double) DWELL_INSTANTIATE(make, float)
DWELL_INSTANTIATE_BOTH(fsai_on_cuda)
DWELL_INSTANTIATE_BOTH(block_jacobi_on_cuda)
DWELL_INSTANTIATE_BOTH(ilu0_on_cuda)
DWELL_INSTANTIATE_BOTH(chebyshev_on_cuda)
#undef DWELL_INSTANTIATE_BOTH
#undef DWELL_INSTANTIATE

}  // namespace dwell
