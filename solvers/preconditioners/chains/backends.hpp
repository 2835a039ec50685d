// SPDX-License-Identifier: MIT
// The set-ups on a GPU of preconditioners that are chains. Private to them.
#pragma once
#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/made_preconditioner.hpp"

namespace dwell {

/// Each as the function of its folder promises. Throw device_error in a build without CUDA.
template <class T>
made_preconditioner fsai_on_cuda(const device& where, const csr_arrays<T>& a,
                                 const preconditioner_options& o);
template <class T>
made_preconditioner block_jacobi_on_cuda(const device& where, const csr_arrays<T>& a,
                                         const preconditioner_options& o);
template <class T>
made_preconditioner ilu0_on_cuda(const device& where, const csr_arrays<T>& a,
                                 const preconditioner_options& o);
template <class T>
made_preconditioner chebyshev_on_cuda(const device& where, const csr_arrays<T>& a,
                                      const preconditioner_options& o);

struct matrix_units;
template <class T>
void find_units_on_cuda(const device& where, const csr_arrays<T>& a, bool with_values,
                        matrix_units& to);

}  // namespace dwell
