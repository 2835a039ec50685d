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

namespace dwell {

/// In place of strip_points where there are none.
struct no_points {};

/// Points of the strip that a warp is in.
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
    first_ = first;
    cell_ = from;
    if (from < behind) next_ = points.all->cells[from].column - first;
  }
  /// Is it the lane's column i?
  DWELL_FN bool is_at(int i) const { return next_ == i; }
  /// After step `step` of the pass: add(field, value) of every source of the cell, and then, if the
  /// row is the team's own, get(field) for every receiver. Goes on to the next cell.
  template <class Points, class Add, class Get>
  DWELL_FN void visit(const Points& points, int step, bool own, Add&& add, Get&& get) {
    const pass_points<T>& all = *points.all;
    const point_cell here = all.cells[cell_], next = all.cells[cell_ + 1];
#pragma unroll 1
    for (int k = here.sources; k < here.receivers; ++k) {
      const point_values v = all.values[k];
      add(v.field, all.series[v.at + (all.step + step) * v.stride]);
    }
    if (own) {
#pragma unroll 1
      for (int k = here.receivers; k < next.sources; ++k) {
        const point_values v = all.values[k];
        all.record[v.at + std::int64_t{step} * v.stride] = get(v.field);
      }
    }
    ++cell_;
    next_ = next.row == here.row ? next.column - first_ : none;
  }

 private:
  static constexpr int none = 1 << 30;
  int cell_ = 0, next_ = none, first_ = 0;
};

}  // namespace dwell
