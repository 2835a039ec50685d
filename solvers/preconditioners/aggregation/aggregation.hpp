// SPDX-License-Identifier: MIT
// Multigrid by plain aggregation for unsymmetric M-matrices (Notay, SIAM J. Sci. Comput. 34, 2012;
// his K-cycle is a W-cycle here) as a sequence of products, on CPUs. Columns of P are the
// indicators of aggregates and R = P', so that the coarse matrix R A P of an M-matrix is one,
// however strong the convection. One sweep of damped Jacobi before and one after the coarse
// correction give
//
//   M b = S b + Q C R~ b,   S = 2 w D^-1 - w^2 D^-1 A D^-1,   Q = (I - w D^-1 A) P,
//   R~ = R (I - w A D^-1),
//
// and C is two cycles of the next level, e = M_c r, then e + M_c (r - A_c e), or one where that
// level is not much smaller. The coarsest matrix is inverted. Private to the solvers.
#pragma once
#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"

namespace dwell {

/// Makes the preconditioner of a checked square matrix whose arrays are the host's. Throws
/// input_error where an element of the diagonal is not positive, there or on a coarse level.
template <class T>
prepared_preconditioner aggregation_preconditioner(const device& where, const csr_arrays<T>& a,
                                                   const preconditioner_options& o);

}  // namespace dwell
