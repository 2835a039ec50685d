// SPDX-License-Identifier: MIT
// The checks of a matrix whose rows are divided among ranks: as validate.hpp of one matrix, and
// every refusal names rows of the whole. Private to the solver.
#pragma once
#include "dwell/linear/distributed_matrix.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/check/validate.hpp"

namespace dwell {

/// Facts of the matrix with other values, as many as a.local() has. Called by all ranks together,
/// which get the same facts. Throws input_error, on all ranks, if the matrix is not what is
/// demanded; entries of two ranks are compared by messages.
template <class T>
system_facts validate_rows(const distributed_matrix<T>& a, std::span<const T> values,
                           const matrix_demand& demand);

}  // namespace dwell
