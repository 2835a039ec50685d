// SPDX-License-Identifier: MIT
// The refusals of conjugate gradients: what a matrix and its vectors must be before any work
// starts. Private to the solver.
#pragma once
#include <span>

#include "dwell/formats/csr.hpp"

namespace dwell {

/// Throws input_error if x overlaps an array of A or b, or if an array is in a GPU's memory. Reads
/// of them the end of row_ptr alone.
template <class T>
void check_memory(const csr_view<T>& a, std::span<const T> b, std::span<const T> x);

/// Throws input_error naming the first place (1-based rows and columns) if A is malformed, not
/// square, has a diagonal element that is missing, zero or negative, or, unless assume_symmetric,
/// if |a_ij - a_ji| > tolerance * sqrt(a_ii a_jj): 1e-12 in f64, 1e-5 in f32.
template <class T>
void check_system(const csr_view<T>& a, bool assume_symmetric);

/// Throws input_error unless v has n finite elements. `what` names it.
template <class T>
void check_vector(std::span<const T> v, index n, const char* what);

}  // namespace dwell
