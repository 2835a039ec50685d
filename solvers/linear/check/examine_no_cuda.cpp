// SPDX-License-Identifier: MIT
// The checks of a system in a GPU's memory, of a build without CUDA.
#include "dwell/base/error.hpp"
#include "dwell/solvers/linear/check/examine_backends.hpp"

namespace dwell {

template <class T>
system_facts examine_on_cuda(const device&, const csr_arrays<T>&, bool, double) {
  throw device_error(find_cuda().reason);
}

template <class T>
vector_magnitude examine_vector_on_cuda(const device&, const T*, index) {
  throw device_error(find_cuda().reason);
}

template <class T>
void invert_diagonal_on_cuda(const device&, const csr_arrays<T>&, int, bool, T*) {
  throw device_error(find_cuda().reason);
}

template system_facts examine_on_cuda(const device&, const csr_arrays<double>&, bool, double);
template vector_magnitude examine_vector_on_cuda(const device&, const double*, index);
template void invert_diagonal_on_cuda(const device&, const csr_arrays<double>&, int, bool, double*);
template system_facts examine_on_cuda(const device&, const csr_arrays<float>&, bool, double);
template vector_magnitude examine_vector_on_cuda(const device&, const float*, index);
template void invert_diagonal_on_cuda(const device&, const csr_arrays<float>&, int, bool, float*);

}  // namespace dwell
