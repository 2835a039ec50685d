// SPDX-License-Identifier: MIT
// The steps of the set-up of a factorized sparse approximate inverse, as functors for setup_loops
// of either backend: the pattern of the factor, and its rows.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::fsai {

using sequences::rows_f64;

/// Elements of a row of the factor, the diagonal among them.
inline constexpr index most_elements = 64;
/// A matrix of unit diagonal whose Cholesky factorization has a smaller pivot is not definite.
inline constexpr double least_pivot = 1e-13;

/// |A|, its rows and columns divided by the roots of the diagonal, as both operands of a product
/// (amg/product_steps.hpp).
struct scaled_magnitudes {
  rows_f64 a;
  const double* root;
  DWELL_FN index begin(index row) const { return a.row_ptr[row]; }
  DWELL_FN index end(index row) const { return a.row_ptr[row + 1]; }
  DWELL_FN index column(index k) const { return a.col[k]; }
  DWELL_FN index column(index, index k) const { return a.col[k]; }
  DWELL_FN double value(index row, index k) const {
    return std::fabs(a.val[k]) * root[row] * root[a.col[k]];
  }
};

/// Per row, by all lanes: which of the elements left of the diagonal stay, and how many elements
/// the row of the factor has with its diagonal. The largest stay, of equal ones those nearest to
/// the diagonal. Without roots the values are the weights, else A's magnitudes in units of the
/// diagonal.
struct choose_elements {
  rows_f64 from;
  const double* root;
  char* stays;
  index* count;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i, std::int64_t end, std::int64_t step) const {
    for (; i < end; i += step) {
      const index row = static_cast<index>(i), first = from.row_ptr[row];
      const index last = sequences::first_from(from.col, first, from.row_ptr[row + 1], row);
      const index n = last - first;
      const index kept = n < most_elements ? n : most_elements - 1;
      for (index k = first + w.lane(); k < last; k += Warp::lanes)
        stays[k] = n == kept || rank(row, first, last, k) < kept;
      if (w.lane() == 0) count[row] = kept + 1;
    }
  }

 private:
  DWELL_FN double weight(index row, index k) const {
    return root ? std::fabs(from.val[k]) * root[row] * root[from.col[k]] : from.val[k];
  }
  DWELL_FN index rank(index row, index first, index last, index k) const {
    const double own = weight(row, k);
    index before = 0;
    for (index j = first; j < last; ++j) {
      const double other = weight(row, j);
      before += other > own || (other == own && j > k);
    }
    return before;
  }
};

/// Per row: the columns of the factor, in order.
struct fill_pattern {
  const index* from_row_ptr;
  const index* from_col;
  const char* stays;
  const index* row_ptr;
  index* col;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    index at = row_ptr[row];
    for (index k = from_row_ptr[row]; k < from_row_ptr[row + 1] && from_col[k] < row; ++k)
      if (stays[k]) col[at++] = from_col[k];
    col[at] = row;
  }
};

/// Doubles of the lower triangle of a small matrix, and of a vector.
inline constexpr int workspace_doubles = most_elements * (most_elements + 1) / 2 + most_elements;

/// Per row, by all lanes: with L the Cholesky factor of the small matrix, the row g of the factor
/// is the solution of L^T g = e_last. A small matrix that is not definite leaves the diagonal
/// alone. Workspace: dense_workspace of a backend. An element's operations come in the same order
/// for any lanes.
template <class Workspace>
struct solve_rows {
  static constexpr int lanes = Workspace::lanes, block = Workspace::block;
  rows_f64 a;
  const double* root;
  double unit_root;  ///< root of the unit of the result
  const index* row_ptr;
  const index* col;
  double* val;
  index* not_definite;  ///< counts rows

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i, std::int64_t end, std::int64_t step) const {
    Workspace workspace(w);
    for (; i < end; i += step) {
      const bool definite = solve(w, workspace.data(), static_cast<index>(i));
      if (!definite && w.lane() == 0) w.add(*not_definite, 1);
      Workspace::barrier();
    }
  }

 private:
  DWELL_FN static int place(index p, index q) { return p * (p + 1) / 2 + q; }
  /// The lower triangle of the small matrix, with a unit diagonal but for rounding.
  template <class Warp>
  DWELL_FN void gather(Warp& w, double* m, const index* column, index n) const {
    for (index p = w.lane(); p < n; p += lanes) {
      const index row = column[p], end = a.row_ptr[row + 1];
      index k = a.row_ptr[row];
      for (index q = 0; q <= p; ++q) {
        while (k < end && a.col[k] < column[q]) ++k;
        const bool there = k < end && a.col[k] == column[q];
        m[place(p, q)] = there ? a.val[k] * root[row] * root[column[q]] : 0.0;
      }
    }
    Workspace::barrier();
  }
  /// Column by column. The diagonal of the factor is inverted. False: not positive definite.
  template <class Warp>
  DWELL_FN static bool factorize(Warp& w, double* m, index n) {
    for (index q = 0; q < n; ++q) {
      for (index p = q + w.lane(); p < n; p += lanes) {
        double sum = m[place(p, q)];
        for (index t = 0; t < q; ++t) sum = std::fma(-m[place(p, t)], m[place(q, t)], sum);
        m[place(p, q)] = sum;
      }
      Workspace::barrier();
      const double pivot = m[place(q, q)];
      if (!(pivot > least_pivot)) return false;
      const double inverse = 1.0 / std::sqrt(pivot);
      Workspace::barrier();
      for (index p = q + w.lane(); p < n; p += lanes)
        m[place(p, q)] = p == q ? inverse : m[place(p, q)] * inverse;
      Workspace::barrier();
    }
    return true;
  }
  template <class Warp>
  DWELL_FN bool solve(Warp& w, double* m, index row) const {
    const index begin = row_ptr[row], n = row_ptr[row + 1] - begin;
    const index* const column = col + begin;
    double* const out = val + begin;
    gather(w, m, column, n);
    const bool definite = factorize(w, m, n);
    double* const g = m + place(n, 0);
    for (index p = w.lane(); p < n; p += lanes) g[p] = p == n - 1 ? 1.0 : 0.0;
    Workspace::barrier();
    for (index t = n - 1; definite && t >= 0; --t) {
      const double last = g[t] * m[place(t, t)];
      Workspace::barrier();
      for (index p = w.lane(); p < t; p += lanes) g[p] = std::fma(-m[place(t, p)], last, g[p]);
      if (w.lane() == 0) g[t] = last;
      Workspace::barrier();
    }
    for (index p = w.lane(); p < n; p += lanes) out[p] = g[p] * root[column[p]] * unit_root;
    return definite;
  }
};

}  // namespace dwell::fsai
