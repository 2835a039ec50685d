// SPDX-License-Identifier: MIT
// Incomplete factors A ~ L U with the pattern of A. On CPUs they are exact unless sweeps are asked
// for: see exact.hpp. Those of sweeps are computed by fixed-point sweeps (Chow and Patel,
// SIAM J. Sci. Comput. 37, 2015) and applied by Jacobi sweeps (Anzt, Chow and Dongarra, Euro-Par
// 2015), as a sequence of products. A is first scaled to a unit diagonal, S A S' with S' = |D|^-1/2
// and S = S' sign(D), where a complex number has its angle for a sign; L has a unit diagonal. A
// sweep computes all elements from those of the sweep before it, at the start those of the scaled
// A:
//
//   l_ij = (a_ij - sum over k < j of l_ik u_kj) / u_jj,  i > j,
//   u_ij =  a_ij - sum over k < i of l_ik u_kj,          i <= j.
//
// After as many sweeps as the dependences are deep it is the factorization itself. L y = f is then
// solved by y_0 = f, y_k+1 = f + (I - L) y_k, and U likewise after a division by its diagonal: two
// phases per sweep, with no more phases than that. Private to the solvers.
#pragma once
#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"

namespace dwell {

namespace ilu0 {

/// With the numbers of sweeps that 0 stands for on a backend; both stay 0 where factors are exact.
preconditioner_options with_sweeps(backend on, preconditioner_options o);

}  // namespace ilu0

/// Makes the preconditioner of a checked square matrix with a diagonal without zeros. Work on a GPU
/// goes to the device's stream. Throws input_error if a factor is not finite or has a vanishing
/// pivot (with the first such row), or if the sizes of a complex matrix's diagonal elements differ
/// too much; unsupported_error if a complex matrix has 2^30 elements or more; device_error if the
/// device has too little memory.
template <class T>
prepared_preconditioner ilu0_preconditioner(const device& where, const csr_arrays<T>& a,
                                            const preconditioner_options& o);

}  // namespace dwell
