// SPDX-License-Identifier: MIT
// What the products of coarsening by nodes multiply (product_steps.hpp).
#pragma once
#include <limits>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/solvers/preconditioners/amg/operands.hpp"
#include "dwell/solvers/preconditioners/amg/strength_steps.hpp"

namespace dwell::amg {

/// The rows of a node.
struct rows_of_nodes {
  index size;
  DWELL_FN index begin(index node) const { return node * size; }
  DWELL_FN index end(index node) const { return (node + 1) * size; }
  DWELL_FN index column(index k) const { return k; }
  DWELL_FN double value(index, index) const { return 1.0; }
};

/// The squares of a matrix's elements, in units of the diagonal so that those of displacements and
/// of rotations compare, in columns that are nodes.
struct squares_by_node {
  graph a;
  index size;
  DWELL_FN index begin(index row) const { return a.row_ptr[row]; }
  DWELL_FN index end(index row) const { return a.row_end[row]; }
  DWELL_FN index column(index, index k) const { return a.col[k] / size; }
  DWELL_FN double value(index row, index k) const {
    return (a.val[k] / a.diagonal[row]) * (a.val[k] / a.diagonal[a.col[k]]);
  }
};

/// I - omega D^-1 A.
struct smoothing_rows {
  graph a;
  double omega;
  DWELL_FN index begin(index row) const { return a.row_ptr[row]; }
  DWELL_FN index end(index row) const { return a.row_end[row]; }
  DWELL_FN index column(index k) const { return a.col[k]; }
  DWELL_FN double value(index row, index k) const {
    const double part = omega * (a.val[k] / a.diagonal[row]);
    return a.col[k] == row ? 1.0 - part : -part;
  }
};

/// The tentative prolongation T, `vectors` elements per row in the columns of its aggregate; zeros
/// are not there.
struct tentative_rows {
  index size, vectors;
  const index* aggregate;  ///< per node
  const double* t;
  DWELL_FN index begin(index row) const { return is_in(row) ? row * vectors : 0; }
  DWELL_FN index end(index row) const { return is_in(row) ? (row + 1) * vectors : 0; }
  DWELL_FN index column(index row, index k) const {
    return t[k] == 0.0 ? -1 : (aggregate[row / size] - row) * vectors + k;
  }
  DWELL_FN double value(index, index k) const { return t[k]; }

 private:
  DWELL_FN bool is_in(index row) const { return aggregate[row / size] >= 0; }
};

/// Puts the sums of P. One that is zero becomes tiny, for zeros are elements that are not there,
/// and other values of the matrix must find the same pattern.
struct put_prolongation {
  double* val;
  DWELL_FN void operator()(index, index place, index, double sum) const {
    constexpr double tiny = std::numeric_limits<double>::denorm_min();
    val[place] = sum == 0.0 ? tiny : sum;
  }
};

/// P^T, and for a column of P that is empty an element that stands for `unit` on the diagonal:
/// numbers from `elements` on, of rows from `rows` on of unit_rows.
struct restriction_or_unit {
  restriction_rows p;
  index rows, elements;
  double unit;
  DWELL_FN index begin(index row) const { return is_empty(row) ? elements + row : p.begin(row); }
  DWELL_FN index end(index row) const { return is_empty(row) ? elements + row + 1 : p.end(row); }
  DWELL_FN index column(index k) const {
    return k < elements ? p.column(k) : rows + (k - elements);
  }
  DWELL_FN double value(index row, index k) const { return k < elements ? p.value(row, k) : unit; }

 private:
  DWELL_FN bool is_empty(index row) const { return p.begin(row) == p.end(row); }
};
/// Rows of a matrix, and behind them those of the identity.
struct rows_and_units {
  matrix_rows m;
  index rows, elements;
  DWELL_FN index begin(index row) const {
    return row < rows ? m.begin(row) : elements + (row - rows);
  }
  DWELL_FN index end(index row) const {
    return row < rows ? m.end(row) : elements + (row - rows) + 1;
  }
  DWELL_FN index column(index row, index k) const {
    return k < elements ? m.column(row, k) : k - elements;
  }
  DWELL_FN double value(index row, index k) const { return k < elements ? m.value(row, k) : 1.0; }
};

}  // namespace dwell::amg
