// SPDX-License-Identifier: MIT
// Powers of two by which rows and columns of a matrix are multiplied before it is factorised, so
// that pivots can be compared (Ruiz 2001, in whole exponents). Private to the solver.
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

/// The values of the matrix that is multiplied by them, in the caller's order.
template <class T>
std::vector<double> scaled_values(const csr_view<T>& a, const matrix_exponents& by);

}  // namespace dwell
