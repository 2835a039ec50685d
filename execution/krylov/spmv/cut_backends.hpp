// SPDX-License-Identifier: MIT
// What cut.cpp asks of the CUDA backend, and what both share. Private to the library; a build
// without CUDA has the same functions, which throw device_error.
#pragma once
#include "dwell/execution/krylov/products/chain.hpp"
#include "dwell/execution/krylov/spmv/cut_matrix.hpp"
#include "dwell/execution/krylov/spmv/cut_steps.hpp"

namespace dwell {

/// Throws input_error; `row` counts from 0. (Files that nvcc compiles have no fmt.)
[[noreturn]] void throw_empty_row(index row);

cut_pattern cut_on_cuda(const device& where, const cutting::csr_pattern& a,
                        const cut_request& asked);
template <class T>
void fill_on_cuda(const device& where, const csr_arrays<T>& a, int exponent, cut_matrix<T>& m);
template <class T>
void fill_values_on_cuda(const device& where, const csr_arrays<T>& a, int exponent,
                         cut_matrix<T>& m);

product_chain share_out_chain_on_cuda(const device& where, const owned_chain& from, int teams,
                                      buffer<index>& shares);

}  // namespace dwell
