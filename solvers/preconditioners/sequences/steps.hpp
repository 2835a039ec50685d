// SPDX-License-Identifier: MIT
// Steps that the set-ups of several preconditioners take, as functors for setup_loops of either
// backend: values in f64, roots of the diagonal, transposed patterns; and sources of slices
// (execution/krylov/products/slice_steps.hpp).
#pragma once
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/base/real_numbers.hpp"

namespace dwell::sequences {

/// A square matrix in compressed rows; V: double or complex_value<double>.
template <class V>
struct rows_of {
  index rows = 0;
  const index* row_ptr = nullptr;
  const index* col = nullptr;
  const V* val = nullptr;
};
/// Values in f64.
using rows_f64 = rows_of<double>;

/// The place of the first element from `begin` on whose column is at least `column`, or `end`; the
/// columns rise.
DWELL_HD index first_from(const index* col, index begin, index end, index column) {
  while (begin < end) {
    const index middle = begin + (end - begin) / 2;
    if (col[middle] < column)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}
/// The place of the element in `column`, or -1.
DWELL_HD index place_of(const index* col, index begin, index end, index column) {
  const index at = first_from(col, begin, end, column);
  return at < end && col[at] == column ? at : -1;
}

/// A value in f64: what V of rows_of is for values of type T.
template <class T>
using wide_value = std::conditional_t<is_complex_value<T>, complex_value<double>, double>;

/// Rows of a sequence for a row of a matrix: one for each part of a number.
template <class V>
inline constexpr index parts_of = is_complex_value<V> ? 2 : 1;

/// Values of a matrix in f64.
template <class T>
struct widen_values {
  const T* from;
  wide_value<T>* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t k) const {
    to[k] = static_cast<wide_value<T>>(from[k]);
  }
};

/// Powers of two of the sizes of numbers, each with `bias` added so that 0 means: none seen.
struct size_range {
  int most = 0;   ///< bias + the largest
  int least = 0;  ///< bias - the smallest
  static constexpr int bias = 8192;
};
/// Adds the size of v, which is not 0.
template <class Warp>
DWELL_FN void add_size(Warp& w, size_range& range, double v) {
  const int e = std::ilogb(v);
  w.raise(range.most, size_range::bias + e);
  w.raise(range.least, size_range::bias - e);
}

/// Per row: 1 / sqrt(|a_ii|), 0 without a diagonal element, and the range of the diagonal.
template <class V>
struct find_roots {
  rows_of<V> a;
  double* root;
  size_range* range;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    const index row = static_cast<index>(i);
    const index k = place_of(a.col, a.row_ptr[row], a.row_ptr[row + 1], row);
    const double d = k < 0 ? 0.0 : size_of(a.val[k]);
    root[row] = d > 0.0 ? 1.0 / std::sqrt(d) : 0.0;
    if (d > 0.0) add_size(w, *range, d);
  }
};

/// Per row: its number at all its elements.
struct find_rows {
  const index* row_ptr;
  index* row_of;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t row) const {
    for (index k = row_ptr[row]; k < row_ptr[row + 1]; ++k) row_of[k] = static_cast<index>(row);
  }
};

/// Per item: x - y.
struct subtract {
  const index* x;
  const index* y;
  index* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    to[i] = x[i] - y[i];
  }
};
/// Once: a single number.
struct set_one {
  index* to;
  index v;
  template <class Warp>
  DWELL_FN void operator()(Warp&) const {
    *to = v;
  }
};
/// Per item, and one more: its number.
struct count_up {
  index* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    to[i] = static_cast<index>(i);
  }
};

/// Per element: its column has one more.
struct count_transposed {
  const index* col;
  index* count;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t k) const {
    w.add(count[col[k]], 1);
  }
};
/// Per element: somewhere in its column.
struct scatter_transposed {
  const index* col;
  const index* begin_of;
  index* taken;  ///< per column, 0 at the start
  index* entry;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t k) const {
    const index column = col[k];
    entry[begin_of[column] + w.take(taken[column], 1)] = static_cast<index>(k);
  }
};
/// Per column: its elements in order.
struct sort_transposed {
  const index* begin_of;
  const index* entry;
  index* sorted;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t column, std::int64_t end,
                           std::int64_t step) const {
    for (; column < end; column += step) {
      const index begin = begin_of[column], n = begin_of[column + 1] - begin;
      if constexpr (Warp::lanes == 1)
        insert(begin, n);  // on a CPU they come nearly in order
      else
        rank(w, begin, n);
    }
  }

 private:
  DWELL_FN void insert(index begin, index n) const {
    for (index i = 0; i < n; ++i) {
      const index one = entry[begin + i];
      index at = i;
      for (; at > 0 && sorted[begin + at - 1] > one; --at)
        sorted[begin + at] = sorted[begin + at - 1];
      sorted[begin + at] = one;
    }
  }
  template <class Warp>
  DWELL_FN void rank(Warp& w, index begin, index n) const {
    for (index i = w.lane(); i < n; i += Warp::lanes) {
      const index one = entry[begin + i];
      index before = 0;
      for (index k = 0; k < n; ++k) before += entry[begin + k] < one;
      sorted[begin + before] = one;
    }
  }
};

/// Rows of a matrix as a source of slices: the elements of row i are first[i] to last[i] - 1.
struct row_slices {
  const index* first;
  const index* last;
  const index* col;
  const double* val;
  DWELL_FN index begin(index row) const { return first[row]; }
  DWELL_FN index end(index row) const { return last[row]; }
  DWELL_FN index column(index k) const { return col[k]; }
  DWELL_FN float value(index, index k) const { return static_cast<float>(val[k]); }
};
/// Rows of a complex matrix as those of a real one with a row and a column for each part of a
/// number.
struct row_slices_of_parts {
  const index* first;
  const index* last;
  const index* col;
  const complex_value<double>* val;
  DWELL_FN index begin(index row) const { return 2 * first[row / 2]; }
  DWELL_FN index end(index row) const { return 2 * last[row / 2]; }
  DWELL_FN index column(index k) const { return 2 * col[k / 2] + k % 2; }
  DWELL_FN float value(index row, index k) const {
    const complex_value<double> v = val[k / 2];
    if (row % 2 == k % 2) return static_cast<float>(v.re);
    return static_cast<float>(row % 2 == 0 ? -v.im : v.im);
  }
};
/// The transpose of a matrix as a source of slices: entry e of column i is element entry[e].
struct column_slices {
  const index* begin_of;
  const index* entry;
  const index* row_of;  ///< per element
  const double* val;
  DWELL_FN index begin(index row) const { return begin_of[row]; }
  DWELL_FN index end(index row) const { return begin_of[row + 1]; }
  DWELL_FN index column(index k) const { return row_of[entry[k]]; }
  DWELL_FN float value(index, index k) const { return static_cast<float>(val[entry[k]]); }
};

}  // namespace dwell::sequences
