// SPDX-License-Identifier: MIT
// Sources and receivers within a pass. A source's value is added to the cell's new value behind the
// last stage of a step, in the registers of the lane that made it, before the next step, the rows
// that are kept or the next warp get it: so there is no barrier of its own. Every lane that makes a
// copy of the cell adds it: those of the strip that owns the column, of strips whose halos have it
// and of teams whose rows overlap. Of receivers the lane of the owner's strip writes the value, if
// the row is one of the team's own: its values are those of the field after each step, and no other
// lane writes there. Series are read only; the host reads records when the kernel is done.
//
// Cells that have points are sorted by strips, rows and columns (args.hpp). A warp knows the next
// row that has any; only in turns with such rows lanes search the row for the first of their cells.
#pragma once
#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"

/// Runs on the device as DWELL_FN does, in one place that others call.
#if defined(__CUDACC__)
#define DWELL_APART __device__ __noinline__
#else
#define DWELL_APART inline
#endif

namespace dwell {

/// Points of a strip.
template <class S, class T>
struct strip_points {
  const pass_points<T>* all = nullptr;
  const int* rows = nullptr;
  int ny = 0;

  /// Row y within the field, or -1.
  DWELL_FN int row_of(int y) const {
    if constexpr (goes_around<S, 0>) {
      while (y < 0) y += ny;
      while (y >= ny) y -= ny;
      return y;
    }
    return y >= 0 && y < ny ? y : -1;
  }
  /// The first row from y on that has points, counted as y is; point_cell::no_row or more if none
  /// has.
  DWELL_FN int next_row(int y) const {
    int within = y;
    if constexpr (goes_around<S, 0>)
      within = row_of(y);
    else
      within = y < 0 ? 0 : y < ny ? y : ny;
    int row = all->cells[rows[within]].row;
    if constexpr (goes_around<S, 0>) {
      if (row == point_cell::no_row) {
        row = all->cells[rows[0]].row;
        if (row != point_cell::no_row) row += ny;
      }
      if (row != point_cell::no_row) row += y - within;
    }
    return row;
  }
};
template <class S, class T>
DWELL_FN strip_points<S, T> points_of_strip(const fields_pass<T>& a, int strip) {
  return {&a.points, a.points.rows + std::int64_t{strip} * (a.ny + 1), a.ny};
}

/// Values of all fields in a cell, and the next column of the row that has points.
template <class S, class T>
struct cell_values {
  static constexpr int no_column = 1 << 30;
  T of[S::fields];
  int next = no_column;
};

/// Sources and receivers of cell `cell`, after step `step` of a pass. Not put where it is called
/// from: there are as many of these places as a lane has cells and steps, and few rows have points.
template <class S, class T>
DWELL_APART cell_values<S, T> with_points(const pass_points<T>* all, int cell, int step, bool own,
                                          cell_values<S, T> v) {
  const point_cell here = all->cells[cell], next = all->cells[cell + 1];
#pragma unroll 1
  for (int k = here.values; k < next.values; ++k) {
    const point_values p = all->values[k];
    const std::int64_t at = p.at + (p.receives ? step : all->step + step) * p.stride;
    DWELL_UNROLL
    for (int f = 0; f < S::fields; ++f) {
      if (p.field != f) continue;
      if (!p.receives)
        v.of[f] += all->series[at];
      else if (own)
        all->record[at] = v.of[f];
    }
  }
  v.next = next.row == here.row ? next.column : cell_values<S, T>::no_column;
  return v;
}

/// Where a lane is among the points of a row.
template <class T>
class point_cursor {
 public:
  /// The first point of row y from the strip's column `first` on, which is the lane's first.
  template <class Points>
  DWELL_FN void find(const Points& points, int y, int first) {
    const int row = points.row_of(y);
    next_ = none;
    if (row < 0) return;
    int from = points.rows[row], end = points.rows[row + 1];
    const int behind = end;
    while (from < end) {
      const int middle = (from + end) / 2;
      if (points.all->cells[middle].column < first)
        from = middle + 1;
      else
        end = middle;
    }
    cell_ = from;
    if (from < behind) next_ = points.all->cells[from].column - first;
  }
  /// Is it the lane's column i?
  DWELL_FN bool is_at(int i) const { return next_ == i; }
  /// After step `step` of the pass: adds sources of the cell to v, values of all fields, and
  /// records receivers if the row is the team's own. Goes on to the next cell.
  template <class S>
  DWELL_FN void visit(const pass_points<T>& all, int step, int first, bool own,
                      cell_values<S, T>& v) {
    v = with_points<S, T>(&all, cell_++, step, own, v);
    next_ = v.next < v.no_column ? v.next - first : none;
  }

 private:
  static constexpr int none = 1 << 30;
  int cell_ = 0, next_ = none;
};

}  // namespace dwell
