// SPDX-License-Identifier: MIT
// Factors of sparse matrices, which other libraries compute: what the direct solver asks of them.
// Private to the solver.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dwell/formats/csr_view.hpp"
#include "dwell/solvers/linear/direct/fill.hpp"

namespace dwell {

/// Factors of a matrix, whose rows and columns have been scaled. One thread at a time.
class matrix_factors {
 public:
  matrix_factors() = default;
  matrix_factors(const matrix_factors&) = delete;
  matrix_factors& operator=(const matrix_factors&) = delete;
  virtual ~matrix_factors() = default;
  /// What the pattern alone decides; `known` has been counted of it, or is null. Throws
  /// device_error if the factors need more memory than there is, as far as that is known before.
  virtual void analyse(const csr_view<double>& a, const counted_fill* known) = 0;
  /// Factors of a matrix with the pattern that was analysed. Returns why there are none; or
  /// nothing. Throws device_error if memory ends.
  virtual std::string factorise(const csr_view<double>& a) = 0;
  /// v becomes the solution of A x = v, or of A^T x = v.
  virtual void solve(std::span<double> v, bool transposed) = 0;
  /// The least magnitude of a pivot.
  virtual double least_pivot() const = 0;
  /// Numbers that the factors hold, and the bytes of these with their places.
  virtual double nonzeros() const = 0;
  virtual double bytes() const = 0;
};

/// What a library of factors has.
struct factor_library {
  std::string name;  ///< with its version
  /// An order of the rows of a symmetric pattern with little fill: minimum degree.
  std::vector<index> (*order)(const row_pattern& symmetric);
  /// L D L^T of a symmetric matrix, of which one triangle is read, without pivoting.
  std::unique_ptr<matrix_factors> (*ldlt)();
  /// P A Q = L U, pivots by the largest element of a column.
  std::unique_ptr<matrix_factors> (*lu)();
};

/// The one that this program was built with; or null.
const factor_library* built_factors();
/// The one that eigen_factors.cpp makes.
const factor_library& eigen_factors();

/// Bytes of nonzeros with their places, in the factor L of the L D L^T.
double bytes_of_factor(double nonzeros);

}  // namespace dwell
