// SPDX-License-Identifier: MIT
// What a caller may ask of a preconditioner besides its name.
#pragma once

namespace dwell {

/// Options of preconditioners; those of others than the chosen one do nothing.
struct preconditioner_options {
  /// Of block-jacobi: rows of a block, 1 to 32. 0: blocks of consecutive rows with equal columns.
  int block_size = 0;
  /// Of chebyshev: the degree of the polynomial, which is the number of products, 1 to 16.
  int degree = 4;
  /// Of fsai: the factor has the pattern of the lower triangle of A (1) or of A^2 (2).
  int power = 1;
  /// Of ilu0: sweeps that compute the factors, 1 to 100.
  int factor_sweeps = 5;
  /// Of ilu0: sweeps that solve with each of the two factors, 1 to 16.
  int sweeps = 3;
  /// Of amg: keep aggregates and patterns on the device, so that a set-up for other values of the
  /// same pattern computes these alone. It takes several times the memory of the matrix. A
  /// linear_solver does so from its first update_values() on.
  bool keep_patterns = false;
};

}  // namespace dwell
