// SPDX-License-Identifier: MIT
// The steps of coarsening by nodes and near-null vectors (Vanek, Mandel and Brezina, Computing 56,
// 1996), as functors for setup_loops of either backend: the graph of nodes, and the factors of the
// vectors in each aggregate. Rows of a node are consecutive.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/solvers/preconditioners/amg/strength_steps.hpp"

namespace dwell::amg {

/// A column of an aggregate that has less than this left of its norm, once the columns before it
/// are taken out, is one of their sums: it gets no coarse row.
inline constexpr double least_independent = 1e-10;
/// A row whose largest a_ij^2 / (a_ii a_jj) is not above this is left to the smoother: an unknown
/// that a boundary condition has fixed, as a row of the identity or by a large diagonal element.
inline constexpr double least_coupling = 1e-10;

/// Per element of the graph of nodes: minus the norm of the block, from the sum of its squares.
struct put_block_norms {
  double* val;
  DWELL_FN void operator()(index node, index place, index column, double sum) const {
    val[place] = column == node ? std::sqrt(sum) : -std::sqrt(sum);
  }
};
/// Per node: its diagonal element becomes larger than all beside it together, so that those of
/// groups, which are sums of blocks, are positive too.
struct raise_diagonal {
  const index* row_ptr;
  const index* col;
  double* val;
  double* diagonal;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    double d = 0.0;
    for (index k = row_ptr[i]; k < row_ptr[i + 1]; ++k) d += std::fabs(val[k]);
    for (index k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
      if (col[k] == i) val[k] = d;
    diagonal[i] = d;
  }
};

/// Per row: its part of the vectors, row by row; zeros where the row is left to the smoother.
struct take_vectors {
  graph a;
  index size, vectors;  ///< rows of a node; columns
  const index* aggregate;
  const double* near_null;  ///< column by column
  double* t;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t row) const {
    const bool on = aggregate[row / size] >= 0 && is_coupled(static_cast<index>(row));
    for (index c = 0; c < vectors; ++c)
      t[row * vectors + c] = on ? near_null[static_cast<std::int64_t>(c) * a.rows + row] : 0.0;
  }

 private:
  DWELL_FN bool is_coupled(index row) const {
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k) {
      const index j = a.col[k];
      const double v = a.val[k];
      if (j != row && (v / a.diagonal[row]) * (v / a.diagonal[j]) > least_coupling) return true;
    }
    return false;
  }
};

/// Per aggregate, by a warp: its rows B of the vectors become those of T, with T R = B and
/// orthonormal columns (modified Gram-Schmidt, twice); R is the aggregate's part of the vectors of
/// the coarse level. Columns that depend on those before become zero, and so do their rows of R.
/// Row i of an aggregate is lane i % 32's; sums are those of 32 lanes on a CPU, too.
struct factorize_aggregates {
  index size, vectors;
  const index* begin_of;  ///< per aggregate: its nodes, ascending
  const index* member;
  double* t;
  double* coarse;  ///< column by column
  index groups;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t g, std::int64_t end, std::int64_t step) const {
    for (; g < end; g += step) factorize(w, static_cast<index>(g));
  }

 private:
  static constexpr int parts = 32;  ///< parts of a sum

  template <class Warp>
  DWELL_FN void factorize(Warp& w, index g) const {
    for (index c = 0; c < vectors; ++c) {
      const double before = std::sqrt(product(w, g, c, c));
      for (index p = 0; p < vectors; ++p) set(w, g, p, c, 0.0);
      for (int time = 0; time < 2; ++time)
        for (index p = 0; p < c; ++p) {
          const double along = product(w, g, p, c);
          each_row(w, g, [&](double* row) { row[c] = std::fma(-along, row[p], row[c]); });
          set(w, g, p, c, time == 0 ? along : r(g, p, c) + along);
        }
      const double left = std::sqrt(product(w, g, c, c));
      const bool independent = left > least_independent * before;
      const double by = independent ? 1.0 / left : 0.0;
      each_row(w, g, [&](double* row) { row[c] = independent ? row[c] * by : 0.0; });
      set(w, g, c, c, independent ? left : 0.0);
    }
  }
  /// An element of R, which is the first lane's.
  DWELL_FN double& r(index g, index row, index column) const {
    return coarse[static_cast<std::int64_t>(column) * groups * vectors +
                  static_cast<std::int64_t>(g) * vectors + row];
  }
  template <class Warp>
  DWELL_FN void set(Warp& w, index g, index row, index column, double v) const {
    if (w.lane() == 0) r(g, row, column) = v;
  }
  DWELL_FN index rows_of(index g) const { return (begin_of[g + 1] - begin_of[g]) * size; }
  /// A row of t.
  DWELL_FN double* row_of(index g, index i) const {
    const index node = member[begin_of[g] + i / size];
    return t + (static_cast<std::int64_t>(node) * size + i % size) * vectors;
  }
  /// f(row of t) for the rows of a lane.
  template <class Warp, class F>
  DWELL_FN void each_row(Warp& w, index g, F&& f) const {
    for (index i = w.lane(); i < rows_of(g); i += Warp::lanes) f(row_of(g, i));
  }
  DWELL_FN double part_of(index g, index first, index p, index c) const {
    double sum = 0.0;
    for (index i = first; i < rows_of(g); i += parts) {
      const double* const row = row_of(g, i);
      sum = std::fma(row[p], row[c], sum);
    }
    return sum;
  }
  template <class Warp>
  DWELL_FN double product(Warp& w, index g, index p, index c) const {
    if constexpr (Warp::lanes == parts) {
      return w.sum(part_of(g, w.lane(), p, c));
    } else {
      static_assert(Warp::lanes == 1);
      double part[parts];
      for (int k = 0; k < parts; ++k) part[k] = part_of(g, k, p, c);
      for (int o = parts / 2; o > 0; o /= 2)
        for (int k = 0; k < o; ++k) part[k] += part[k + o];
      return part[0];
    }
  }
};

}  // namespace dwell::amg
