// SPDX-License-Identifier: MIT
// The checks of a system in a GPU's memory.
#include "dwell/execution/team/setup_cuda.cuh"
#include "dwell/solvers/linear/check/examine_backends.hpp"
#include "dwell/solvers/linear/check/examining.hpp"

namespace dwell {

template <class T>
system_facts examine_on_cuda(const device& where, const csr_arrays<T>& a, bool check_symmetry,
                             double tolerance) {
  return examining::examine_with<cuda::setup_loops>(where, a, check_symmetry, tolerance);
}

template <class T>
vector_magnitude examine_vector_on_cuda(const device& where, const T* v, index n) {
  return examining::examine_vector_with<cuda::setup_loops>(where, v, n);
}

template <class T>
void invert_diagonal_on_cuda(const device& where, const csr_arrays<T>& a, int exponent,
                             bool magnitudes, T* to) {
  examining::invert_diagonal_with<cuda::setup_loops>(where, a, exponent, magnitudes, to);
}

template system_facts examine_on_cuda(const device&, const csr_arrays<double>&, bool, double);
template vector_magnitude examine_vector_on_cuda(const device&, const double*, index);
template void invert_diagonal_on_cuda(const device&, const csr_arrays<double>&, int, bool, double*);
template system_facts examine_on_cuda(const device&, const csr_arrays<float>&, bool, double);
template vector_magnitude examine_vector_on_cuda(const device&, const float*, index);
template void invert_diagonal_on_cuda(const device&, const csr_arrays<float>&, int, bool, float*);

}  // namespace dwell
