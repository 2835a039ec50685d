// SPDX-License-Identifier: MIT
// Preconditioners of matrices in odd units. Sequences are in f32, and the inverse of a matrix D K D
// has elements that differ as those of D^-2 do: where these leave the range of f32, the sequence is
// made of the matrix with a diagonal of about ones, S A S with powers of two S = |diag A|^-1/2. S
// is the sequence's units (execution/krylov/products): input and result are multiplied by it in the
// precision of the system, so that in f32 there is nothing but what K has. Private to the
// preconditioners.
#pragma once
#include <memory>

#include "dwell/device/device.hpp"
#include "dwell/execution/krylov/products/sequence.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"

namespace dwell {

/// The units of a matrix, and itself in units of one.
struct matrix_units {
  index rows = 0;
  int spread = 0;  ///< binary orders of magnitude between the elements of the diagonal
  std::shared_ptr<buffer<double>> units;  ///< S in a unit of the sequence's
  buffer<double> val;                     ///< values of S A S; empty where the units are not wide

  /// Beyond this elements of an inverse, and what is added up on the way to them, may leave f32.
  static constexpr int most_spread = 100;
  /// Exponent of the largest unit: below it there is room for the residuals of small elements,
  /// above it for those of a start (2^53 times what is wanted) and what coarse levels make of them.
  static constexpr int most_unit = 50;
  bool wide() const { return spread > most_spread; }
};

/// Finds the units, and the values of S A S where they are wide or that is asked for. What `to` has
/// is written anew, where it is.
template <class T>
void find_units(const device& where, const csr_arrays<T>& a, bool with_values, matrix_units& to);

/// make(where, S A S, options), or of A itself where the units are not wide; near_null is taken for
/// that of A.
template <class T>
using make_sequence = prepared_preconditioner (*)(const device& where, const csr_arrays<T>& a,
                                                  const preconditioner_options& o);
template <class T>
prepared_preconditioner equilibrated(const device& where, const csr_arrays<T>& a,
                                     const preconditioner_options& o, make_sequence<T> plain,
                                     make_sequence<double> of_ones);

}  // namespace dwell
