// SPDX-License-Identifier: MIT
// Incomplete factors by elimination on a CPU, applied by substitution, group of rows by group of
// rows (row_groups.hpp). The matrix is B = P S A S' P', its rows in the order of their groups. With
// B ~ L D U, unit triangles L and U, and y = D^-1 L^-1 P S r:
//
//   y_g = (D^-1 P S r)_g + sum over groups h < g of -(D^-1 L D)_gh y_h,   g = 1, 2, ...,
//   x_g = y_g + sum over groups h > g of -U_gh x_h,                       g = last but one, ..., 0,
//
// one product a group, in place, between a first one that orders the input and a last one that
// orders the result, z = S' P' x. One text for real and for complex matrices: the products of these
// are real ones of a row and a column for each part of a number. Private to the solvers.
#pragma once
#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"

namespace dwell::ilu0 {

/// Makes the preconditioner of a checked square matrix with a diagonal without zeros, whose arrays
/// are the host's. T: double, float, or complex_value of these. Throws input_error where a factor
/// is not finite or has a vanishing pivot (with the first such row), or where the inverse of the
/// factors has elements over 1e12.
template <class T>
prepared_preconditioner exact_factors(const device& where, const csr_arrays<T>& a);

}  // namespace dwell::ilu0
