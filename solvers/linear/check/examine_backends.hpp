// SPDX-License-Identifier: MIT
// What examine.cpp asks of the CUDA backend. A build without CUDA has the same functions, which
// throw device_error.
#pragma once
#include "dwell/solvers/linear/check/examine.hpp"

namespace dwell {

template <class T>
system_facts examine_on_cuda(const device& where, const csr_arrays<T>& a, bool check_symmetry,
                             double tolerance);
template <class T>
vector_magnitude examine_vector_on_cuda(const device& where, const T* v, index n);
template <class T>
void invert_diagonal_on_cuda(const device& where, const csr_arrays<T>& a, int exponent,
                             bool magnitudes, T* to);

}  // namespace dwell
