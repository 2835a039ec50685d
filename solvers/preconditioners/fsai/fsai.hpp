// SPDX-License-Identifier: MIT
// A factorized sparse approximate inverse (Kolotilina and Yeremin, SIAM J. Matrix Anal. Appl. 14,
// 1993) as a sequence of two products: M = G^T G, where G is lower triangular with a given pattern
// S, row i of it solves
//
//   (G A)_ij = 0 for j < i in S_i,   (G A G^T)_ii = 1,
//
// a symmetric system of the size of the row. S is the lower triangle of A or of A^2; of rows with
// more than 64 elements the largest stay. M is symmetric and positive definite whatever A is.
// Private to the solvers.
#pragma once
#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"

namespace dwell {

/// Makes the preconditioner of a checked matrix with a positive diagonal. Work on a GPU goes to the
/// device's stream. Throws input_error if o.power is neither 1 nor 2, device_error if the device
/// has too little memory.
template <class T>
prepared_preconditioner fsai_preconditioner(const device& where, const csr_arrays<T>& a,
                                            const preconditioner_options& o);

}  // namespace dwell
