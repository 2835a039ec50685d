// SPDX-License-Identifier: MIT
// The scale of a system: powers of two by which matrix and vectors are divided while a solve lasts,
// so that it goes at any scale as it does at scale 1, bit for bit. Private to the solver.
#pragma once
#include <climits>
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/formats/csr_view.hpp"

namespace dwell {

/// What is solved is A' x' = b', where A' = 2^-matrix A, b' = 2^-vectors b and
/// x' = 2^(matrix - vectors) x.
struct system_scale {
  int matrix = 0;
  int vectors = 0;
  int rhs = 0;  ///< the exponent of the largest element of b, or `vectors` if b = 0
  /// x = 2^answer x'
  DWELL_HD int answer() const { return vectors - matrix; }
};

/// The exponent of a largest magnitude; of a zero: less than any sum of two.
inline constexpr int exponent_of_zero = INT_MIN / 4;
DWELL_HD int exponent_of(double largest) {
  return largest > 0.0 ? std::ilogb(largest) : exponent_of_zero;
}
/// Largest exponent of all values of a matrix, which are finite.
template <class T>
int largest_exponent(const csr_view<T>& a);

/// By which the matrix is divided, given the exponent of its largest element: it is copied for that
/// on a CPU, so only where products could leave the range in which they are exact. A vector is
/// multiplied by the matrix twice before a sum in double looks at it, and residuals fall to 2^-53
/// of where they began (2^-24 in f32).
template <class T>
DWELL_HD int matrix_scale(int exponent) {
  constexpr int comfortable = sizeof(T) == 8 ? 128 : 16;
  if (exponent == exponent_of_zero) return 0;
  return exponent > comfortable || exponent < -comfortable ? exponent : 0;
}

/// How much larger than b the product A x of the start vector may seem by the largest elements of
/// both before squares of what is left of b come near to 0; and the most that is allowed for where
/// it seems larger than it is.
template <class T>
inline constexpr int roomy = sizeof(T) == 8 ? 200 : 40;
template <class T>
inline constexpr int most_room = sizeof(T) == 8 ? 900 : 100;

/// The largest elements of b' and of A' x' are about 1. Exponents: of the largest elements of A, b
/// and the start vector. residual: of b - A x of the start vector, or INT_MAX where it is not
/// known; if A x seems much larger than b, it counts instead.
template <class T>
DWELL_HD system_scale scale_of(int matrix, int rhs, int start, int residual) {
  system_scale s;
  s.matrix = matrix_scale<T>(matrix);
  const bool product = start != exponent_of_zero && matrix != exponent_of_zero;
  int of_product = product ? start + matrix : exponent_of_zero;
  if (residual != INT_MAX && rhs != exponent_of_zero && of_product - rhs > roomy<T>) {
    const int least = of_product - most_room<T>;
    of_product = residual > least ? residual : least;
  }
  s.vectors = rhs > of_product ? rhs : of_product;
  if (s.vectors == exponent_of_zero) s.vectors = 0;
  s.rhs = rhs == exponent_of_zero ? s.vectors : rhs;
  return s;
}

}  // namespace dwell
