// SPDX-License-Identifier: MIT
// The refusals of the linear solvers: what options, a matrix and its vectors must be before any
// work starts. Private to the solver.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "dwell/formats/csr.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/check/validate.hpp"

namespace dwell {

/// Throws input_error for options that no solve can have.
void check_options(const solve_options& o);

/// Throws input_error for mixed precision of a system in f32. In Python and on the command line
/// "mixed" is a value of the option precision.
void require_f64_of_mixed(const solve_options& o, bool is_f64);

/// What a solve asks of its matrix.
struct matrix_demand {
  matrix_class of = matrix_class::positive_definite;
  bool look_for_symmetry = true;         ///< else it is taken for granted
  bool full_diagonal = false;            ///< without zeros
  const char* preconditioner = nullptr;  ///< that asks for a diagonal
  bool by_preconditioner = false;        ///< `of` is what it asks for, more than the method does
  bool by_null_vectors = false;          ///< or what null vectors ask for
  /// What counts nonzeros in 32 bits, "preconditioner amg"; empty: nothing does.
  std::string counts_in_32_bits = {};

  bool met_by(const system_facts& f) const {
    return f.is(of) && (f.full_diagonal || !full_diagonal);
  }
};

/// To be called for large matrices (system_facts): throws unsupported_error where they are refused.
void check_nonzeros(std::int64_t nonzeros, const matrix_demand& demand);

/// Demand of o.method; where that is "auto", what all methods ask for, and a look at the symmetry.
matrix_demand demand_of(const solve_options& o);

/// Are systems solved modulo constant vectors? o.method is not "auto".
bool has_null_space(const solve_options& o, const system_facts& f);

/// Throws input_error naming the first place (1-based rows and columns) if A is malformed, not
/// square, or not what is asked for: a diagonal element that is missing, zero or negative; elements
/// with |a_ij - a_ji| over `tolerance` times the largest of sqrt(|a_ii a_jj|), |a_ij| and |a_ji|:
/// 1e-12 in f64, 1e-5 in f32.
template <class T, class Offset>
void check_system(const csr_view<T, Offset>& a, const matrix_demand& demand);

/// The refusal of the diagonals of rows that begin with number `first_row` of the whole matrix and
/// with column 0 of `a`, as check_system() words it: the first one in row order.
template <class T, class Offset>
void check_diagonals(const csr_view<T, Offset>& a, std::int64_t first_row,
                     const matrix_demand& demand);
/// And the words for two elements that are no mirrors of each other.
std::string words_for(const unequal_pair& pair, const matrix_demand& demand);

/// Throws input_error unless there are `found` = n elements. `what` names the vector.
void check_size(std::size_t found, index n, const char* what);
/// Throws input_error unless `found` elements hold `count` columns of so many rows, the beginnings
/// of two of them `distance` apart. `what` names them.
void check_columns(std::size_t found, index rows, std::size_t distance, int count,
                   const char* what);
/// Throws input_error unless the elements are finite.
template <class T>
void check_finite(std::span<const T> v, const char* what);

}  // namespace dwell
