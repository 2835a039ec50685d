// SPDX-License-Identifier: MIT
// The inverse of a small matrix that need not be symmetric. Private to the solvers.
#pragma once
#include <vector>

#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::aggregation {

/// By rows, from factors with partial pivoting; rows are first divided by their diagonal, which is
/// positive. A direction whose pivot is below 1e-12 of that unit is left out: the matrix is
/// singular there, up to rounding.
std::vector<double> inverse_of(const sequences::rows_f64& a, const double* diagonal);

}  // namespace dwell::aggregation
