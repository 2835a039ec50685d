// SPDX-License-Identifier: MIT
// The steps between the aggregates of a level and its coarse matrix, as functors for setup_loops of
// either backend: bounds of eigenvalues and the filter of the prolongation.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "dwell/base/fn.hpp"
#include "dwell/solvers/preconditioners/amg/strength_steps.hpp"

namespace dwell::amg {

/// Bounds of a level, as the bits of doubles, which order positive numbers: those of the largest
/// eigenvalue of D^-1 A and of D_F^-1 F (Gershgorin), and the largest diagonal element.
struct level_bounds {
  std::uint64_t smoother, filter, diagonal;
  /// The largest element after each of these steps of x := D^-1 A x.
  static constexpr int steps = 10;
  std::uint64_t growth[steps];
};
/// An element of F's diagonal under this share of A's is A's: what was added would take too much.
inline constexpr double least_filtered = 0.1;
/// Elements under this share of the largest of their row are not in F.
inline constexpr double filter_share = 0.25;

DWELL_HD std::uint64_t bits_of(double v) {
  union {
    double d;
    std::uint64_t u;
  } bits{v};
  return bits.u;
}

/// Per row: the filter and the bounds.
struct find_filter {
  graph a;
  double* keep;
  double* filtered;
  level_bounds* bounds;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    const index row = static_cast<index>(i);
    const double d = a.diagonal[row];
    double most = 0.0, all = 0.0;
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k) {
      const double size = std::fabs(a.val[k]);
      all += size;
      if (a.col[k] != row && size > most) most = size;
    }
    const double least = filter_share * most;
    double dropped = 0.0, kept = 0.0;
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k) {
      if (a.col[k] == row) continue;
      const double size = std::fabs(a.val[k]);
      if (size >= least)
        kept += size;
      else
        dropped += a.val[k];
    }
    double f = d + dropped;
    if (!(f > least_filtered * d)) f = d;
    keep[row] = least;
    filtered[row] = f;
    w.raise(bounds->smoother, bits_of(all / d));
    w.raise(bounds->filter, bits_of((f + kept) / f));
    w.raise(bounds->diagonal, bits_of(d));
  }
};

/// The largest diagonal element alone.
struct find_largest_diagonal {
  const double* diagonal;
  std::uint64_t* largest;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    w.raise(*largest, bits_of(diagonal[i]));
  }
};

/// Per row, before the first step: a vector with parts of all frequencies.
struct begin_growth {
  double* x;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const std::uint32_t mixed = static_cast<std::uint32_t>(i) * 2654435769u;
    x[i] = static_cast<double>(mixed >> 8) / (1 << 23) - 1.0;
  }
};
/// Per row: a step of x := D^-1 A x.
struct grow {
  graph a;
  const double* x;
  double* to;
  std::uint64_t* largest;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    const index row = static_cast<index>(i);
    double sum = 0.0;
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k)
      sum = std::fma(a.val[k], x[a.col[k]], sum);
    sum /= a.diagonal[row];
    to[row] = sum;
    w.raise(*largest, bits_of(std::fabs(sum)));
  }
};

/// Elements of the prolongation under this share of the largest of their row are left out.
inline constexpr double least_prolonged = 0.1;

/// Per row of the prolongation: leaves its small elements out and keeps its sum.
struct truncate {
  const index* row_ptr;
  index* row_end;
  index* col;
  double* val;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index begin = row_ptr[i], end = row_end[i];
    double most = 0.0, all = 0.0, kept = 0.0;
    for (index k = begin; k < end; ++k) {
      const double size = std::fabs(val[k]);
      all += val[k];
      most = size > most ? size : most;
    }
    index to = begin;
    for (index k = begin; k < end; ++k)
      if (std::fabs(val[k]) >= least_prolonged * most) {
        kept += val[k];
        col[to] = col[k];
        val[to++] = val[k];
      }
    if (to == end) return;
    row_end[i] = to;
    const double by = all / kept;
    if (by > 0.5 && by < 2.0)
      for (index k = begin; k < to; ++k) val[k] *= by;
  }
};

/// Per row of the prolongation: other values for a pattern that was truncated before. An element
/// that has none gets a tiny one, for zeros are elements that are not there.
struct keep_pattern {
  const index* row_ptr;
  const index* from_end;
  const index* from_col;
  const double* from;
  const index* row_end;
  const index* col;
  double* val;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    constexpr double tiny = std::numeric_limits<double>::denorm_min();
    index at = row_ptr[i];
    double all = 0.0, kept = 0.0;
    for (index k = at; k < from_end[i]; ++k) all += from[k];
    for (index k = row_ptr[i]; k < row_end[i]; ++k) {
      while (at < from_end[i] && from_col[at] < col[k]) ++at;
      const double v = at < from_end[i] && from_col[at] == col[k] ? from[at] : 0.0;
      kept += v;
      val[k] = v == 0.0 ? tiny : v;
    }
    if (kept != all) scale_row(i, all / kept);
  }

 private:
  DWELL_FN void scale_row(std::int64_t i, double by) const {
    if (by > 0.5 && by < 2.0)
      for (index k = row_ptr[i]; k < row_end[i]; ++k) val[k] *= by;
  }
};

/// Puts the sums of A P, and with them P and (I - omega D^-1 A) P.
struct put_smoothed {
  const double* diagonal;
  double omega;
  const index* p_row_ptr;
  const index* p_row_end;
  const index* p_col;
  const double* p_val;
  index* row_of;
  double* ap;
  double* p;
  double* smoothed;

  DWELL_FN void operator()(index row, index place, index column, double sum) const {
    double here = 0.0;
    for (index k = p_row_ptr[row]; k < p_row_end[row]; ++k)
      if (p_col[k] == column) here = p_val[k];
    row_of[place] = row;
    ap[place] = sum;
    p[place] = here;
    smoothed[place] = std::fma(-omega / diagonal[row], sum, here);
  }
};

}  // namespace dwell::amg
