// SPDX-License-Identifier: MIT
// The steps of validate() as functors that compile for the host and for a GPU (execution/team/
// setup_cpu.hpp). No step follows a row_ptr that has not been found sound, nor a column out of the
// matrix.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#include "dwell/base/fn.hpp"
#include "dwell/base/power_of_two.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/execution/krylov/spmv/cut_steps.hpp"
#include "dwell/solvers/preconditioners/row_weights.hpp"

namespace dwell::validating {

/// What the steps found. Magnitudes are the bits of doubles that are not negative: these are in
/// order as numbers.
struct findings {
  int row_ptr_broken;
  int broken, asymmetric;
  index positive, stored;  ///< rows whose diagonal is positive; is there and not zero
  int sums_differ;         ///< from zero, in some row
  index mixed;             ///< rows with much that is positive beside the diagonal
  std::uint64_t most, least_diagonal, most_diagonal;
};

DWELL_FN std::uint64_t bits_of(double v) {
  std::uint64_t bits;
  memcpy(&bits, &v, sizeof v);
  return bits;
}
DWELL_FN bool finite(double v) { return v - v == 0.0; }

/// Once, before the others.
struct begin {
  findings* to;
  template <class Warp>
  DWELL_FN void operator()(Warp& w) const {
    if (w.lane() == 0) *to = {0, 0, 0, 0, 0, 0, 0, 0, ~std::uint64_t(0), 0};
  }
};

/// Per row, which must have an entry. Several warps may find row_ptr broken.
struct check_row_ptr {
  cutting::csr_pattern a;
  findings* to;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t row) const {
    const std::int64_t begin = a.row_ptr[row], end = a.row_ptr[row + 1];
    if (end <= begin || (row == 0 && begin != 0) || (row == a.rows - 1 && end != a.nonzeros))
      w.raise(to->row_ptr_broken, 1);
  }
};

/// Where (row, column) is stored, or -1.
DWELL_FN std::int64_t find(const cutting::csr_pattern& a, index row, index column) {
  const std::int64_t end = a.row_ptr[row + 1];
  std::int64_t low = a.row_ptr[row], high = end;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (a.col[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end && a.col[low] == column ? low : -1;
}

/// Per piece of 256 nonzeros. Several warps add to the findings.
template <class T>
struct check_entries {
  static constexpr index piece = 256;
  cutting::csr_pattern a;
  const T* val;
  bool check_symmetry;
  double tolerance;
  findings* to;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t at, std::int64_t end, std::int64_t step) const {
    if (to->row_ptr_broken) return;
    found mine;
    index near = 0;  // a row at or before the next piece's
    for (; at < end; at += step) {
      const std::int64_t from = at * piece;
      const index count =
          static_cast<index>(cutting::smaller<std::int64_t>(piece, a.nonzeros - from));
      near = cutting::row_with(a, from, near);
      index row = near;
      for (index i = w.lane(); i < count; i += Warp::lanes) {
        row = cutting::row_with(a, from + i, row);
        check_entry(row, from + i, mine);
        if (from + i == a.row_ptr[row]) weigh(row, mine);
      }
    }
    mine.most = w.most(mine.most);
    mine.least_diagonal = w.least(mine.least_diagonal);
    mine.most_diagonal = w.most(mine.most_diagonal);
    mine.broken = w.most(mine.broken);
    mine.asymmetric = w.most(mine.asymmetric);
    mine.positive = w.sum(mine.positive);
    mine.stored = w.sum(mine.stored);
    mine.sums_differ = w.most(mine.sums_differ);
    mine.mixed = w.sum(mine.mixed);
    if (w.lane() != 0) return;
    if (mine.broken) w.raise(to->broken, 1);
    if (mine.asymmetric) w.raise(to->asymmetric, 1);
    if (mine.positive) w.add(to->positive, mine.positive);
    if (mine.stored) w.add(to->stored, mine.stored);
    if (mine.sums_differ) w.raise(to->sums_differ, 1);
    if (mine.mixed) w.add(to->mixed, mine.mixed);
    w.raise(to->most, mine.most);
    w.lower(to->least_diagonal, mine.least_diagonal);
    w.raise(to->most_diagonal, mine.most_diagonal);
  }

 private:
  struct found {
    int broken = 0, asymmetric = 0;
    index positive = 0, stored = 0;
    int sums_differ = 0;
    index mixed = 0;
    std::uint64_t most = 0, least_diagonal = ~std::uint64_t(0), most_diagonal = 0;
  };

  /// The lane that has a row's first entry takes all of the row, which others have just read. A
  /// long row that can change nothing is left out.
  DWELL_FN void weigh(index row, found& mine) const {
    const std::int64_t begin = a.row_ptr[row];
    const index count = static_cast<index>(a.row_ptr[row + 1] - begin);
    if (count > longest_row_weighed && (mine.sums_differ || to->sums_differ)) return;
    const row_weights is = weigh_row(a.col + begin, val + begin, row, count);
    if (!is.zero_sum) mine.sums_differ = 1;
    if (is.mixed) ++mine.mixed;
  }
  DWELL_FN void check_entry(index row, std::int64_t k, found& mine) const {
    const index column = a.col[k];
    const double v = static_cast<double>(val[k]);
    if (column < 0 || column >= a.rows || (k > a.row_ptr[row] && column <= a.col[k - 1]) ||
        !finite(v)) {
      mine.broken = 1;
      return;
    }
    mine.most = cutting::larger(mine.most, bits_of(v < 0 ? -v : v));
    if (column == row) {
      if (v != 0) ++mine.stored;
      if (!(v > 0)) return;
      ++mine.positive;
      mine.least_diagonal = cutting::smaller(mine.least_diagonal, bits_of(v));
      mine.most_diagonal = cutting::larger(mine.most_diagonal, bits_of(v));
    } else if (check_symmetry && !mirrored(row, column, k)) {
      mine.asymmetric = 1;
    }
  }
  DWELL_FN bool mirrored(index row, index column, std::int64_t k) const {
    const std::int64_t mirror = find(a, column, row);
    if (mirror >= 0 && val[mirror] == val[k]) return true;
    const double here = value_at(k), there = value_at(mirror);
    const double own = fabs(value_at(find(a, row, row))),
                 other = fabs(value_at(find(a, column, column)));
    const double scale =
        cutting::larger(sqrt(own) * sqrt(other), cutting::larger(fabs(here), fabs(there)));
    return fabs(here - there) <= tolerance * scale;
  }
  DWELL_FN double value_at(std::int64_t k) const {
    return k < 0 ? 0.0 : static_cast<double>(val[k]);
  }
};

/// Per piece of 1024 elements of a vector. Several warps add to the findings.
template <class T>
struct check_elements {
  static constexpr index piece = 1024;
  const T* v;
  index n;
  findings* to;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t at, std::int64_t end, std::int64_t step) const {
    std::uint64_t most = 0;
    for (; at < end; at += step) {
      const index from = static_cast<index>(at * piece);
      const index count = cutting::smaller<index>(piece, n - from);
      for (index i = w.lane(); i < count; i += Warp::lanes) {
        const double e = static_cast<double>(v[from + i]);
        most = cutting::larger(most, bits_of(e < 0 ? -e : e) & ~(std::uint64_t(1) << 63));
      }
    }
    most = w.most(most);  // infinities and NaNs are beyond all other bits
    if (w.lane() == 0) w.raise(to->most, most);
  }
};

/// Per row.
template <class T>
struct invert_diagonal {
  cutting::csr_pattern a;
  const T* val;
  power_of_two scale;
  bool magnitudes;
  T* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t row) const {
    const std::int64_t k = find(a, static_cast<index>(row), static_cast<index>(row));
    const T inverse = k < 0 ? T(0) : T(1) / static_cast<T>(scale(static_cast<double>(val[k])));
    to[row] = magnitudes && inverse < T(0) ? -inverse : inverse;
  }
};

}  // namespace dwell::validating
