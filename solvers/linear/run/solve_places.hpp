// SPDX-License-Identifier: MIT
// Where the data of a solve are, for its steps on both backends (solve_steps.hpp). Private to the
// solver.
#pragma once
#include <climits>
#include <cstddef>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/linear/most_null_vectors.hpp"
#include "dwell/solvers/linear/run/system_scale.hpp"

namespace dwell {

class device_halo;
class halo_exchange;
struct row_ranks;

/// Residual of a row of b - A x, of which the first one decides whether a solve has converged.
struct row_residual {
  double r = 0;        ///< row of 2^-by.rhs (b - A x)
  float by_terms = 0;  ///< |r| over what the row adds up to: |A| |x| + |b|
  float by_row = 0;    ///< |r| over the same and the row of |A| times the largest |x|
};

/// What the host learns of a solve: in memory that the device writes.
struct solve_numbers {
  system_scale by;
  double rhs = 0;         ///< ||2^-by.rhs b||
  int zero_rhs = 0;       ///< b = 0: the run begins from zeros, which are the answer
  double goal = 0;        ///< goal for ||2^-by.rhs (b - A x)||, by rtol
  double target = 0;      ///< the norm of the scaled residual at which the run ends
  int finite = 0;         ///< all elements of b and of the start vector are
  int step = 0;           ///< at the end of the run
  int stop = 0;           ///< run_outcome
  double rr = 0;          ///< r.r as carried by the iteration
  int has_answer = 0;     ///< x holds the answer; else it is the start vector still
  int representable = 0;  ///< no element of the answer left the format
  int projected = 0;      ///< which_null_space
  // Where the null space is that of the constant vectors, else 0:
  double rhs_mean = 0;     ///< mean of 2^-by.rhs b
  double start_mean = 0;   ///< mean of the scaled start vector
  double answer_mean = 0;  ///< mean of the run's answer
  // Numbers of any null space:
  double removed = 0;  ///< the norm of what was taken from 2^-by.rhs b; `rhs` is that of the rest
  double largest = 0;  ///< |x|, of the start vector or of the answer, in the caller's units
  // Numbers of the true residual r = 2^-by.rhs (b - A x):
  double true_norm = 0;       ///< ||r||
  double rr_by_diagonal = 0;  ///< r.D^-1 r; 0 without a Jacobi preconditioner
  double bb_by_diagonal = 0;  ///< b.D^-1 b, of 2^-by.rhs b
  double by_terms = 0;        ///< the largest row_residual::by_terms
  double by_row = 0;          ///< and row_residual::by_row
};

/// What b and x count without.
struct which_null_space {
  enum : int { none, constants, given };
};

/// What vectors have of the null vectors that are given: the products with each of them.
struct null_parts {
  double rhs[most_null_vectors];     ///< parts of 2^-by.rhs b
  double start[most_null_vectors];   ///< parts of the scaled start vector
  double answer[most_null_vectors];  ///< parts of the run's answer
};

/// Where the data of a solve, or of one column of several, are, in memory that the device's teams
/// read and write.
template <class T>
struct solve_places {
  large_csr_arrays<T> a;
  index first_column = 0;   ///< column of the matrix: not 0 where it is a block of a larger one
  int matrix_exponent = 0;  ///< exponent of the largest element
  int start_residual = INT_MAX;  ///< exponent of ||b - A x|| of the start vector, where it is known
  const T* b = nullptr;          ///< the caller's right-hand side
  T* x = nullptr;                ///< the start vector; the answer at the end
  T* run_x = nullptr;            ///< the program's vectors, scaled; element i at [i * stride]
  T* run_rhs = nullptr;
  int stride = 1;
  bool own_scale = false;   ///< those are the caller's numbers, which the run scales itself
  bool null_space = false;  ///< the constant vectors are in it: b and x count without their means
  int null_count = 0;       ///< vectors that are given, else
  /// Where rows are divided among ranks, else null: then run_x has the ghosts behind the rows, and
  /// totals are those of all ranks.
  const row_ranks* ranks = nullptr;
  halo_exchange* ghosts_of_x = nullptr;      ///< exchange of run_x, all columns, on a CPU
  device_halo* ghosts_of_x_there = nullptr;  ///< and on a GPU
  double* rank_totals = nullptr;  ///< on a GPU solve_totals x (1 + ranks) doubles of workspace
  double rows_of_ranks = 0;       ///< rows of all of them
  DWELL_HD double all_rows() const { return ranks ? rows_of_ranks : a.rows; }
  const double* null_vectors = nullptr;  ///< orthonormal, one after another
  null_parts* parts = nullptr;           ///< room, where there are some
  DWELL_HD T& run_x_at(index i) const { return run_x[static_cast<std::ptrdiff_t>(i) * stride]; }
  DWELL_HD T& run_rhs_at(index i) const { return run_rhs[static_cast<std::ptrdiff_t>(i) * stride]; }
  const T* inverse_diagonal = nullptr;  ///< inverse for the scaled matrix; null without Jacobi
  row_residual* residual = nullptr;     ///< rows elements of workspace
  bool weighing = false;                ///< the residual is that of run_x, in the caller's units
  double rtol = 0, atol = 0;
  double* target2 = nullptr;  ///< the program's: the square of the residual's norm to reach
  const int* step = nullptr;  ///< the program's scalars at the end of its run
  const int* stop = nullptr;
  const double* rr = nullptr;
  solve_numbers* numbers = nullptr;
  double* partial = nullptr;  ///< solve_partials(rows) elements of workspace
  unsigned* done = nullptr;   ///< zero
};
inline constexpr int solve_totals = 7;  ///< the most of a pass

/// A v, and how large it is.
template <class T>
struct product_places {
  large_csr_arrays<T> a;
  int exponent = 0;           ///< exponent of a power of two that A is multiplied by
  const double* v = nullptr;  ///< rows elements, as of product
  double* product = nullptr;  ///< room
  double* squares = nullptr;  ///< two: of ||A v|| and of || |A| |v| ||
  double* partial = nullptr;  ///< solve_partials(rows) elements of workspace
  unsigned* done = nullptr;   ///< zero
};

}  // namespace dwell
