// SPDX-License-Identifier: MIT
// The steps of the set-up of incomplete factors, as functors for setup_loops of either backend.
// Both factors are one array of the pattern of A: L left of the diagonal, U from it on.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/finite.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/base/multiply_add.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::ilu0 {

/// A pivot of the scaled matrix below this one vanishes.
inline constexpr double least_pivot = 1e-12;

/// What takes a number to its size: its sign, of a complex one the conjugate of its angle.
DWELL_HD double to_size(double v) { return v < 0.0 ? -1.0 : 1.0; }
DWELL_HD complex_value<double> to_size(complex_value<double> v) {
  const double size = size_of(v);
  return {v.re / size, -v.im / size};
}

/// Per row: the matrix in units of its diagonal, where the diagonal stands, and the factors of the
/// scaling with the signs of S and the root of the result's unit.
template <class V>
struct scale_matrix {
  sequences::rows_of<V> a;
  const double* root;
  double unit_root;
  V* scaled;
  index* row_of;
  index* diagonal;  ///< place
  V* before;        ///< what the input is multiplied by
  V* after;         ///< and the result

  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i), begin = a.row_ptr[row], end = a.row_ptr[row + 1];
    const index at = sequences::first_from(a.col, begin, end, row);
    const V sign = at < end && a.col[at] == row ? to_size(a.val[at]) : V(1.0);
    diagonal[row] = at;
    before[row] = unit_root * (root[row] * sign);
    after[row] = V(root[row] * unit_root);
    for (index k = begin; k < end; ++k) {
      row_of[k] = row;
      scaled[k] = root[a.col[k]] * (a.val[k] * (root[row] * sign));
    }
  }
};

/// Per element: a sweep.
template <class V>
struct sweep {
  index rows;
  const index* row_ptr;
  const index* col;
  const index* row_of;
  const index* diagonal;
  const V* scaled;
  const V* old;
  V* now;

  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t e) const {
    const index k = static_cast<index>(e), i = row_of[k], j = col[k], top = i < j ? i : j;
    V sum = scaled[k];
    for (index t = row_ptr[i]; col[t] < top; ++t) {  // ends at the diagonal or before
      const index m = col[t];
      const index u = sequences::place_of(col, diagonal[m], row_ptr[m + 1], j);
      if (u >= 0) sum = multiply_add(-old[t], old[u], sum);
    }
    now[k] = i > j ? quotient(sum, old[diagonal[j]]) : sum;
  }
};

/// Per row: whether its factors are finite and its pivot does not vanish; gives rows - row of the
/// first that fails.
template <class V>
struct find_failure {
  index rows;
  const index* row_ptr;
  const index* diagonal;
  const V* f;
  index* failed;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    const index row = static_cast<index>(i);
    bool good = size_of(f[diagonal[row]]) > least_pivot;
    for (index k = row_ptr[row]; k < row_ptr[row + 1]; ++k) good = good && is_finite(f[k]);
    if (!good) w.raise(*failed, rows - row);
  }
};

/// Per row: 1 / u_ii, and that times the scaling of the result; and where the elements right of
/// the diagonal begin.
template <class V>
struct divide_rows {
  const index* diagonal;
  const V* f;
  const V* after;
  V* inverse;
  V* inverse_after;
  index* right;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t row) const {
    inverse[row] = quotient(V(1.0), f[diagonal[row]]);
    inverse_after[row] = quotient(after[row], f[diagonal[row]]);
    right[row] = diagonal[row] + 1;
  }
};

/// Per element: -f_ij rows[i] columns[j], and in the diagonal on_diagonal[i]; null: 1.
template <class V>
struct weigh {
  const index* col;
  const index* row_of;
  const V* f;
  const V* rows;
  const V* columns;
  const V* on_diagonal;
  V* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t k) const {
    const index i = row_of[k], j = col[k];
    V v = -f[k];
    if (rows) v = v * rows[i];
    if (columns) v = v * columns[j];
    if (i == j) v = on_diagonal ? on_diagonal[i] : V(1.0);
    to[k] = v;
  }
};

}  // namespace dwell::ilu0
