// SPDX-License-Identifier: MIT
// The refusals of conjugate gradients: what options, a matrix and its vectors must be before any
// work starts. Private to the solver.
#pragma once
#include <span>

#include "dwell/formats/csr.hpp"
#include "dwell/solvers/cg/cg.hpp"

namespace dwell {

/// Throws input_error for options that no solve can have.
void check_options(const cg_options& o);

/// Throws input_error naming the first place (1-based rows and columns) if A is malformed, not
/// square, has a diagonal element that is missing, zero or negative, or, unless assume_symmetric,
/// if |a_ij - a_ji| > tolerance * sqrt(a_ii a_jj): 1e-12 in f64, 1e-5 in f32.
template <class T>
void check_system(const csr_view<T>& a, bool assume_symmetric);

/// Throws input_error unless there are `found` = n elements. `what` names the vector.
void check_size(std::size_t found, index n, const char* what);
/// Throws input_error unless the elements are finite.
template <class T>
void check_finite(std::span<const T> v, const char* what);

}  // namespace dwell
