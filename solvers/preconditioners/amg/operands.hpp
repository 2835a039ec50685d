// SPDX-License-Identifier: MIT
// What the products of a level's set-up multiply (product_steps.hpp), and what its matrices are
// when they are put into slices (execution/krylov/products/slice_steps.hpp).
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/solvers/preconditioners/amg/strength_steps.hpp"

namespace dwell::amg {

/// The rows of a group, each once.
struct rows_of_groups {
  const index* begin_of;
  const index* member;
  DWELL_FN index begin(index group) const { return begin_of[group]; }
  DWELL_FN index end(index group) const { return begin_of[group + 1]; }
  DWELL_FN index column(index k) const { return member[k]; }
  DWELL_FN double value(index, index) const { return 1.0; }
};

/// A matrix with columns that are groups.
struct grouped_columns {
  graph a;
  const index* group;
  DWELL_FN index begin(index row) const { return a.row_ptr[row]; }
  DWELL_FN index end(index row) const { return a.row_end[row]; }
  DWELL_FN index column(index, index k) const { return group[a.col[k]]; }
  DWELL_FN double value(index, index k) const { return a.val[k]; }
};

/// Rows of a matrix, on either side.
struct matrix_rows {
  const index* row_ptr;
  const index* row_end;
  const index* col;
  const double* val;
  DWELL_FN index begin(index row) const { return row_ptr[row]; }
  DWELL_FN index end(index row) const { return row_end[row]; }
  DWELL_FN index column(index k) const { return col[k]; }
  DWELL_FN index column(index, index k) const { return col[k]; }
  DWELL_FN double value(index, index k) const { return val[k]; }
};

/// The row itself.
struct same_row {
  DWELL_FN index begin(index row) const { return row; }
  DWELL_FN index end(index row) const { return row + 1; }
  DWELL_FN index column(index k) const { return k; }
  DWELL_FN double value(index, index) const { return 1.0; }
};

/// P = (I - omega D_F^-1 F) P_0, from rows of A and the aggregates: F has the elements that are at
/// least `keep` of their row, the others are added to its diagonal.
struct prolongation_rows {
  graph a;
  const index* aggregate;
  const double* keep;      ///< per row: the least |a_ij| that stays
  const double* filtered;  ///< per row: the diagonal of F
  double omega;

  DWELL_FN index begin(index row) const { return a.row_ptr[row]; }
  DWELL_FN index end(index row) const { return a.row_end[row]; }
  DWELL_FN index column(index row, index k) const {
    const index j = a.col[k];
    return j == row || std::fabs(a.val[k]) >= keep[row] ? aggregate[j] : -1;
  }
  DWELL_FN double value(index row, index k) const {
    return a.col[k] == row ? 1.0 - omega : -omega * a.val[k] / filtered[row];
  }
};

/// P^T from the transposed pattern of A P: entry e of a column is element entry[e] of A P.
struct restriction_rows {
  const index* begin_of;
  const index* entry;
  const index* row_of;  ///< per element of A P
  const double* p;      ///< P at the elements of A P, 0 where it has none
  DWELL_FN index begin(index row) const { return begin_of[row]; }
  DWELL_FN index end(index row) const { return begin_of[row + 1]; }
  DWELL_FN index column(index k) const { return p[entry[k]] == 0.0 ? -1 : row_of[entry[k]]; }
  DWELL_FN double value(index, index k) const { return p[entry[k]]; }
};

/// S = 2 omega D^-1 - omega^2 D^-1 A D^-1: what a sweep of damped Jacobi before and one after the
/// coarse correction are by themselves. In units of `unit`, a power of two.
struct smoother_slices {
  graph a;
  double omega, unit;
  DWELL_FN index begin(index row) const { return a.row_ptr[row]; }
  DWELL_FN index end(index row) const { return a.row_end[row]; }
  DWELL_FN index column(index k) const { return a.col[k]; }
  DWELL_FN float value(index row, index k) const {
    const double d = a.diagonal[row], by = unit / d;
    const index j = a.col[k];
    if (j == row) return static_cast<float>((2.0 * omega - omega * omega) * by);
    return static_cast<float>(-omega * omega * (a.val[k] / a.diagonal[j]) * by);
  }
};

/// A dense matrix by rows.
struct dense_slices {
  index rows;
  const double* val;
  DWELL_FN index begin(index row) const { return row * rows; }
  DWELL_FN index end(index row) const { return (row + 1) * rows; }
  DWELL_FN index column(index k) const { return k % rows; }
  DWELL_FN float value(index, index k) const { return static_cast<float>(val[k]); }
};

}  // namespace dwell::amg
