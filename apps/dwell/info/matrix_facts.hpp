// SPDX-License-Identifier: MIT
// What can be said of a matrix of any shape by looking at it once: row lengths, explicit zeros,
// symmetry as found, signs on the diagonal. Places are 0-based, as in CSR.
#pragma once
#include <complex>
#include <cstdint>

#include "dwell/formats/csr.hpp"

namespace dwell::app {

/// How often something was met, and where first (in the order of rows).
struct tally {
  std::int64_t count = 0;
  index row = -1, col = -1;
  void note(index at_row, index at_col) {
    if (count++ == 0) row = at_row, col = at_col;
  }
  /// Adds what was met in later rows.
  void append(const tally& later) {
    if (count == 0) row = later.row, col = later.col;
    count += later.count;
  }
};

struct matrix_facts {
  std::int64_t explicit_zeros = 0;

  index shortest_row = 0, longest_row = 0, empty_rows = 0;
  double median_row = 0;

  bool square = false;
  // Counts of a square matrix: stored entries (i, j) whose mirror entry (j, i) ...
  tally not_stored;               ///< ... is not stored
  tally not_equal;                ///< ... differs (an entry that is not stored is zero)
  tally not_conjugate;            ///< ... is not the conjugate
  tally not_opposite;             ///< ... is not the negative
  double largest_difference = 0;  ///< max |a_ij - a_ji|, of complex numbers from the conjugate

  double largest_entry = 0;  ///< max |a_ij|
  double least_entry = 0;    ///< min |a_ij| of those that are not zero

  std::int64_t positive_diagonal = 0;
  tally zero_diagonal, negative_diagonal, missing_diagonal;
  tally complex_diagonal;  ///< elements with an imaginary part
  /// Elements that the diagonal has: the smaller of rows and columns.
  std::int64_t diagonal = 0;
};

matrix_facts examine(const csr_view<double>& a, int threads);
matrix_facts examine(const csr_view<std::complex<double>>& a, int threads);

/// "symmetric", "Hermitian" (of complex numbers), "skew-symmetric", "symmetric pattern, values
/// differ", "unsymmetric" or "not square".
const char* symmetry_found(const matrix_facts& facts);

}  // namespace dwell::app
