// SPDX-License-Identifier: MIT
// Preconditioners of matrices in odd units. Chains are in f32, and the inverse of a matrix D K D
// has elements that differ as those of D^-2 do: where these leave the range of f32, the chain is
// made of the matrix with a diagonal of ones, S A S with S = |diag A|^-1/2, between two products
// with S. Private to the preconditioners.
#pragma once
#include <memory>

#include "dwell/execution/device/device.hpp"
#include "dwell/execution/program/products/chain.hpp"
#include "dwell/execution/program/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/made_preconditioner.hpp"

namespace dwell {

/// The units of a matrix, and itself in units of one.
struct matrix_units {
  index rows = 0;
  int spread = 0;       ///< binary orders of magnitude between the elements of the diagonal
  int unit = 0;         ///< exponent of the chain's S, whose middle is about 1 in this unit
  buffer<double> root;  ///< S
  buffer<double> val;   ///< of S A S; empty where the units are not wide
  std::shared_ptr<owned_slices> slices;

  /// Beyond this elements of an inverse, and what is added up on the way to them, may leave f32.
  static constexpr int most_spread = 160;
  bool wide() const { return spread > most_spread; }
};

/// Finds the units, and the values of S A S where they are wide or that is asked for.
template <class T>
void find_units(const device& where, const csr_arrays<T>& a, bool with_values, matrix_units& to);
/// The chain between two products with S.
owned_chain between_units(const device& where, const owned_chain& inner, matrix_units& units);
/// S anew, of other units.
void put_units(const device& where, const matrix_units& units);

/// make(where, S A S, options), or of A itself where the units are not wide; near_null is taken for
/// that of A.
template <class T>
using make_chain = made_preconditioner (*)(const device& where, const csr_arrays<T>& a,
                                           const preconditioner_options& o);
template <class T>
made_preconditioner equilibrated(const device& where, const csr_arrays<T>& a,
                                 const preconditioner_options& o, make_chain<T> plain,
                                 make_chain<double> of_ones);

}  // namespace dwell
