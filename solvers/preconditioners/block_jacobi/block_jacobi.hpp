// SPDX-License-Identifier: MIT
// Block Jacobi as a sequence of one product: M is the inverse of the block diagonal of A (Saad,
// Iterative Methods for Sparse Linear Systems, 2003, section 4.1.1). Blocks have a given size, or
// are runs of consecutive rows with equal columns, as the unknowns of a node have them; a run of
// more than 32 rows is cut into equal pieces. Every block is inverted by Gaussian elimination with
// partial pivoting in f64. M is symmetric and positive definite where A is. Private to the solvers.
#pragma once
#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"

namespace dwell {

/// Makes the preconditioner of a checked square matrix. Work on a GPU goes to the device's stream.
/// Throws input_error if o.block_size is not 0 to 32, if a block is singular (with its rows), or if
/// the blocks have more than 2^31 - 1 elements; device_error if the device has too little memory.
template <class T>
prepared_preconditioner block_jacobi_preconditioner(const device& where, const csr_arrays<T>& a,
                                                    const preconditioner_options& o);

}  // namespace dwell
