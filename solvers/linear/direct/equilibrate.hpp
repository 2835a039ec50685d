// SPDX-License-Identifier: MIT
// Powers of two by which rows and columns of a matrix are multiplied before it is factorised, so
// that pivots can be compared (Ruiz 2001, and Curtis and Reid 1972, in whole exponents). Private to
// the solver.
#pragma once
#include <vector>

#include "dwell/formats/csr_view.hpp"

namespace dwell {

struct matrix_exponents {
  std::vector<int> row, column;
};

/// Exponents for which the largest elements of rows and columns are about 1. symmetric: those of
/// columns are those of rows; positive_diagonal: the diagonal is about 1 instead.
template <class T>
matrix_exponents equilibrate(const csr_view<T>& a, bool symmetric, bool positive_diagonal);

/// Exponents for which the logarithms of the elements have the least squares. They find the units
/// of rows and columns where the largest elements do not: those may fit while a pivot is tiny.
template <class T>
matrix_exponents equilibrate_by_mean(const csr_view<T>& a);

/// The values of the matrix that is multiplied by them, in the caller's order.
template <class T>
std::vector<double> scaled_values(const csr_view<T>& a, const matrix_exponents& by);

}  // namespace dwell
