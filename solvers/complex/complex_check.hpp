// SPDX-License-Identifier: MIT
// What a complex system must be before any work starts, and what its matrix is. Private to the
// solver.
#pragma once
#include <complex>
#include <span>
#include <string>

#include "dwell/base/complex_value.hpp"
#include "dwell/device/backend.hpp"
#include "dwell/formats/csr_view.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// Throws input_error or unsupported_error for options that no complex solve can have.
void check_complex_options(const solve_options& o);

struct complex_facts {
  bool hermitian = false;          ///< or taken for it
  bool positive_diagonal = false;  ///< stored, real and positive in every row
  bool full_diagonal = false;      ///< without zeros
  int exponent = 0;                ///< exponent of the largest part of an element
  std::string why_not;             ///< words for the first place that is not Hermitian
  std::string why_not_positive;    ///< and for the first element of the diagonal
};

/// Facts of a matrix that check() accepts. Throws input_error if it is not square, or has a row
/// without entries. look: whether it is Hermitian, else that is taken for granted: elements may
/// differ by as much as those of symmetric matrices (system_check.hpp).
template <class R>
complex_facts look_at(const csr_view<complex_value<R>>& a, bool look);

/// Throws input_error if the matrix is not what o.method and o.preconditioner ask for, and
/// unsupported_error where these do not go together.
void check_complex_demands(const complex_facts& facts, const solve_options& o);

/// Throws input_error unless the elements are finite.
template <class R>
void check_finite_complex(std::span<const std::complex<R>> v, const char* what);

}  // namespace dwell
