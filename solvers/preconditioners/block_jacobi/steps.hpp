// SPDX-License-Identifier: MIT
// The steps of the set-up of block Jacobi, as functors for setup_loops of either backend: the
// blocks, and their inverses.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"
#include "dwell/solvers/preconditioners/sequences/thread_workspaces.hpp"

namespace dwell::block_jacobi {

using sequences::rows_f64;

inline constexpr index most_rows = 32;  ///< rows of a block

/// Per row: 1 where its columns are not those of the row before, which begins a run.
struct begin_runs {
  const index* row_ptr;
  const index* col;
  index* begins;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    if (row == 0) {
      begins[row] = 1;
      return;
    }
    const index begin = row_ptr[row], n = row_ptr[row + 1] - begin, before = row_ptr[row - 1];
    bool equal = begin - before == n;
    for (index k = 0; equal && k < n; ++k) equal = col[before + k] == col[begin + k];
    begins[row] = equal ? 0 : 1;
  }
};
/// Per row that begins a run or a block: its number there. before[row]: runs that begin before it.
struct find_firsts {
  const index* before;
  index* first;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t row) const {
    if (before[row + 1] > before[row]) first[before[row]] = static_cast<index>(row);
  }
};
/// Per row: 1 where it begins a block: a run is cut into as few pieces as 32 rows allow, of equal
/// size but for one row.
struct begin_blocks {
  const index* runs_before;
  const index* first;  ///< first row of each run, and the number of rows
  index* begins;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i), run = runs_before[row + 1] - 1;
    const std::int64_t rows = first[run + 1] - first[run], at = row - first[run];
    const std::int64_t pieces = (rows + most_rows - 1) / most_rows;
    begins[row] = at == 0 || at * pieces / rows != (at - 1) * pieces / rows;
  }
};
/// Per block of a given size, and one more: its first row.
struct begin_equal_blocks {
  index rows, size;
  index* first;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t block) const {
    const std::int64_t row = block * size;
    first[block] = row < rows ? static_cast<index>(row) : rows;
  }
};

/// Facts of all blocks.
struct block_facts {
  index most = 0;      ///< rows of the largest
  index singular = 0;  ///< rows of the matrix less the first row of the first singular block
  sequences::size_range size;  ///< range of the blocks' largest elements
};

/// Per block: the lengths of its rows, and its size.
struct measure_blocks {
  rows_f64 a;
  const index* first;
  index* length;  ///< per row
  block_facts* facts;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t block) const {
    const index begin = first[block], end = first[block + 1];
    double most = 0.0;
    for (index row = begin; row < end; ++row) {
      length[row] = end - begin;
      const index last = a.row_ptr[row + 1];
      for (index k = sequences::first_from(a.col, a.row_ptr[row], last, begin);
           k < last && a.col[k] < end; ++k)
        most = std::fmax(most, std::fabs(a.val[k]));
    }
    w.raise(facts->most, end - begin);
    if (most > 0.0) add_size(w, facts->size, most);
  }
};

/// Per block, by one lane: its inverse, in compressed rows. Rows and then columns are multiplied by
/// powers of two so that their largest elements are about 1: a pivot that is tiny then says that
/// the block is singular in f64. The inverse of a symmetric block is made symmetric.
struct invert_blocks {
  static constexpr int lanes = 1;
  static constexpr double epsilon = 0x1p-52;
  rows_f64 a;
  const index* first;
  const index* row_ptr;  ///< rows of the inverse
  index* col;
  double* val;
  int unit;  ///< exponent of the unit of the result
  index first_block;
  sequences::thread_workspaces workspaces;
  block_facts* facts;

  /// Doubles of a block of so many rows: its factors, a column, and exponents of rows and columns.
  static std::ptrdiff_t workspace_for(index n) { return std::ptrdiff_t(n) * n + 4 * n; }

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i, std::int64_t end, std::int64_t step) const {
    const sequences::thread_workspace workspace = workspaces.of(i);
    for (; i < end; i += step) {
      const index block = first_block + static_cast<index>(i);
      const index begin = first[block], n = first[block + 1] - begin;
      if (!invert(workspace, begin, n)) w.raise(facts->singular, a.rows - begin);
    }
  }

 private:
  using workspace = sequences::thread_workspace;
  DWELL_FN static std::ptrdiff_t place(index n, index i, index j) {
    return std::ptrdiff_t(i) * n + j;
  }

  /// The block; returns whether it is symmetric.
  DWELL_FN bool gather(const workspace& m, index begin, index n) const {
    for (index i = 0; i < n; ++i) {
      for (index j = 0; j < n; ++j) m[place(n, i, j)] = 0.0;
      const index last = a.row_ptr[begin + i + 1];
      for (index k = sequences::first_from(a.col, a.row_ptr[begin + i], last, begin);
           k < last && a.col[k] < begin + n; ++k)
        m[place(n, i, a.col[k] - begin)] = a.val[k];
    }
    for (index i = 0; i < n; ++i)
      for (index j = 0; j < i; ++j)
        if (m[place(n, i, j)] != m[place(n, j, i)]) return false;
    return true;
  }
  /// Divides lines of the block by powers of two; false: one has zeros only.
  DWELL_FN static bool scale(const workspace& m, index n, bool rows, std::ptrdiff_t exponents) {
    for (index i = 0; i < n; ++i) {
      double most = 0.0;
      for (index j = 0; j < n; ++j)
        most = std::fmax(most, std::fabs(m[rows ? place(n, i, j) : place(n, j, i)]));
      if (!(most > 0.0)) return false;
      const int e = std::ilogb(most);
      m[exponents + i] = e;
      for (index j = 0; j < n; ++j) {
        double& v = m[rows ? place(n, i, j) : place(n, j, i)];
        v = std::ldexp(v, -e);
      }
    }
    return true;
  }
  /// P M = L U in place, the diagonal of U inverted; order[i] is the row that stands in row i.
  DWELL_FN static bool factorize(const workspace& m, index n, std::ptrdiff_t order) {
    for (index i = 0; i < n; ++i) m[order + i] = i;
    for (index k = 0; k < n; ++k) {
      index pivot = k;
      for (index i = k + 1; i < n; ++i)
        if (std::fabs(m[place(n, i, k)]) > std::fabs(m[place(n, pivot, k)])) pivot = i;
      if (!(std::fabs(m[place(n, pivot, k)]) > n * epsilon)) return false;
      if (pivot != k) {
        for (index j = 0; j < n; ++j) swap(m[place(n, k, j)], m[place(n, pivot, j)]);
        swap(m[order + k], m[order + pivot]);
      }
      const double inverse = 1.0 / m[place(n, k, k)];
      m[place(n, k, k)] = inverse;
      for (index i = k + 1; i < n; ++i) {
        const double factor = m[place(n, i, k)] * inverse;
        m[place(n, i, k)] = factor;
        for (index j = k + 1; j < n; ++j)
          m[place(n, i, j)] = std::fma(-factor, m[place(n, k, j)], m[place(n, i, j)]);
      }
    }
    return true;
  }
  DWELL_FN static void swap(double& x, double& y) {
    const double was = x;
    x = y;
    y = was;
  }
  DWELL_FN bool invert(const workspace& m, index begin, index n) const {
    const std::ptrdiff_t x = std::ptrdiff_t(n) * n, order = x + n, of_row = order + n,
                         of_column = of_row + n;
    double* const out = val + row_ptr[begin];
    for (index i = 0; i < n; ++i)
      for (index j = 0; j < n; ++j) col[row_ptr[begin] + place(n, i, j)] = begin + j;
    const bool symmetric = gather(m, begin, n);
    if (!scale(m, n, true, of_row) || !scale(m, n, false, of_column) || !factorize(m, n, order))
      return false;
    for (index c = 0; c < n; ++c) {  // L U x = P e_c
      for (index i = 0; i < n; ++i) {
        double sum = m[order + i] == c ? 1.0 : 0.0;
        for (index j = 0; j < i; ++j) sum = std::fma(-m[place(n, i, j)], m[x + j], sum);
        m[x + i] = sum;
      }
      for (index i = n - 1; i >= 0; --i) {
        double sum = m[x + i];
        for (index j = i + 1; j < n; ++j) sum = std::fma(-m[place(n, i, j)], m[x + j], sum);
        m[x + i] = sum * m[place(n, i, i)];
        out[place(n, i, c)] =
            std::ldexp(m[x + i], unit - static_cast<int>(m[of_column + i] + m[of_row + c]));
      }
    }
    if (symmetric)
      for (index i = 0; i < n; ++i)
        for (index j = 0; j < i; ++j)
          out[place(n, i, j)] = out[place(n, j, i)] =
              0.5 * (out[place(n, i, j)] + out[place(n, j, i)]);
    return true;
  }
};

}  // namespace dwell::block_jacobi
