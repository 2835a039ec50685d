// SPDX-License-Identifier: MIT
// The steps of the set-up of a factorized sparse approximate inverse, as functors for setup_loops
// of either backend: the pattern of the factor, and its rows.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/solvers/preconditioners/chains/set_up.hpp"

namespace dwell::fsai {

using chains::rows_f64;

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
  int* longest;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i, std::int64_t end, std::int64_t step) const {
    for (; i < end; i += step) {
      const index row = static_cast<index>(i), first = from.row_ptr[row];
      const index last = chains::first_from(from.col, first, from.row_ptr[row + 1], row);
      const index n = last - first;
      const index kept = n < most_elements ? n : most_elements - 1;
      for (index k = first + w.lane(); k < last; k += Warp::lanes)
        stays[k] = n == kept || rank(row, first, last, k) < kept;
      if (w.lane() == 0) {
        count[row] = kept + 1;
        w.raise(*longest, kept + 1);
      }
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

/// Per row, by one lane: with L the Cholesky factor of the small matrix, the row g of the factor is
/// the solution of L^T g = e_last. A small matrix that is not definite leaves the diagonal alone.
struct solve_rows {
  static constexpr int lanes = 1;
  rows_f64 a;
  const double* root;
  double unit_root;  ///< of the unit of the result
  const index* row_ptr;
  const index* col;
  double* val;
  index first;  ///< the row of item 0
  chains::thread_rooms rooms;
  index* not_definite;  ///< counts rows

  /// Doubles of a row of so many elements.
  static std::ptrdiff_t room_for(index n) { return std::ptrdiff_t(n) * (n + 1) / 2 + n; }

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i, std::int64_t end, std::int64_t step) const {
    const chains::thread_room room = rooms.of(i);
    for (; i < end; i += step)
      if (!solve(room, first + static_cast<index>(i))) w.add(*not_definite, 1);
  }

 private:
  DWELL_FN static std::ptrdiff_t place(index p, index q) {
    return std::ptrdiff_t(p) * (p + 1) / 2 + q;
  }
  /// The lower triangle of the small matrix, with a unit diagonal but for rounding.
  DWELL_FN void gather(const chains::thread_room& m, const index* column, index n) const {
    for (index p = 0; p < n; ++p) {
      const index row = column[p], end = a.row_ptr[row + 1];
      index k = a.row_ptr[row];
      for (index q = 0; q <= p; ++q) {
        while (k < end && a.col[k] < column[q]) ++k;
        const bool there = k < end && a.col[k] == column[q];
        m[place(p, q)] = there ? a.val[k] * root[row] * root[column[q]] : 0.0;
      }
    }
  }
  /// The diagonal of the factor is inverted. False: not positive definite.
  DWELL_FN static bool factorize(const chains::thread_room& m, index n) {
    for (index p = 0; p < n; ++p)
      for (index q = 0; q <= p; ++q) {
        double sum = m[place(p, q)];
        for (index t = 0; t < q; ++t) sum = std::fma(-m[place(p, t)], m[place(q, t)], sum);
        if (q < p) {
          m[place(p, q)] = sum * m[place(q, q)];
        } else {
          if (!(sum > least_pivot)) return false;
          m[place(p, p)] = 1.0 / std::sqrt(sum);
        }
      }
    return true;
  }
  DWELL_FN bool solve(const chains::thread_room& m, index row) const {
    const index begin = row_ptr[row], n = row_ptr[row + 1] - begin;
    const index* const column = col + begin;
    double* const out = val + begin;
    gather(m, column, n);
    const bool definite = factorize(m, n);
    const std::ptrdiff_t g = place(n, 0);
    for (index p = n - 1; p >= 0; --p) {
      double sum = p == n - 1 ? 1.0 : 0.0;
      if (definite) {
        for (index t = n - 1; t > p; --t) sum = std::fma(-m[place(t, p)], m[g + t], sum);
        sum *= m[place(p, p)];
      }
      m[g + p] = sum;
      out[p] = sum * root[column[p]] * unit_root;
    }
    return definite;
  }
};

}  // namespace dwell::fsai
