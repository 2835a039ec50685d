// SPDX-License-Identifier: MIT
// Sources and receivers within a pass. A source's value is added to the cell's new value behind the
// last stage of a step, in the registers of the lane that made it, before the next step, the rows
// that are kept or the next warp get it: so there is no barrier of its own. Every lane that makes a
// copy of the cell adds it: those of the strip that owns the column, of strips whose halos have it
// and of teams whose rows overlap. Of receivers the lane of the owner's strip writes the value, if
// the row is one of the team's own: its values are those of the field after each step, and no other
// lane writes there. Series are read only; the host reads records when the kernel is done.
//
// Points are sorted by strips, rows and columns (args.hpp). A warp knows the next row that has any;
// only in turns with such rows lanes search the row for the first of their points, and only in
// columns in which some lane has one they compare. What is read comes from the second-level cache,
// so as little as possible waits for something else that is read.
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

/// Points of a strip. Axis: that of the rows; of a tile of three dimensions planes, 2.
template <class S, class T, int Axis = 0>
struct strip_points {
  const pass_points<T>* all = nullptr;
  const point_row* rows = nullptr;
  int ny = 0;

  /// Row y within the field, or -1.
  DWELL_FN int row_of(int y) const {
    if constexpr (goes_around<S, Axis>) {
      while (y < 0) y += ny;
      while (y >= ny) y -= ny;
      return y;
    }
    return y >= 0 && y < ny ? y : -1;
  }
  /// The first row from y on that has points, counted as y is; point_row::none or more if none has.
  DWELL_FN int next_row(int y) const {
    int within = y;
    if constexpr (goes_around<S, Axis>)
      within = row_of(y);
    else
      within = y < 0 ? 0 : y < ny ? y : ny;
    int row = rows[within].next;
    if constexpr (goes_around<S, Axis>) {
      if (row == point_row::none) {
        row = rows[0].next;
        if (row != point_row::none) row += ny;
      }
      if (row != point_row::none) row += y - within;
    }
    return row;
  }
};
template <class S, class T>
DWELL_FN strip_points<S, T> points_of_strip(const fields_pass<T>& a, int strip) {
  return {&a.points, a.points.rows + std::int64_t{strip} * (a.ny + 1), a.ny};
}

/// Values of all fields in a cell, and the place in the list and the column of the next point.
template <class S, class T>
struct cell_values {
  T of[S::fields];
  int point = 0, column = 0;
};

/// Points of a cell after step `step` of a pass, which is step `first` of the runner: from v.point
/// on, in a row of the list that ends at `end`. Not put where it is called from: there are as many
/// of these places as a lane has cells and steps, and few rows have points. Pointers come one by
/// one: within a kernel's argument they would be read from memory.
template <class S, class T>
DWELL_APART cell_values<S, T> with_points(const strip_point* list, const T* series, T* record,
                                          std::int64_t first, int step, int end, bool own,
                                          cell_values<S, T> v) {
  const int column = v.column;
  strip_point p = list[v.point];
#pragma unroll 1
  while (v.point < end && v.column == column) {
    const strip_point next = list[++v.point];
    const std::int64_t at = p.values.at + (p.values.receives ? step : first) * p.values.stride;
    // Chosen, not indexed: registers have no addresses.
    T value = v.of[0];
    DWELL_UNROLL
    for (int f = 1; f < S::fields; ++f) value = p.values.field == f ? v.of[f] : value;
    if (!p.values.receives) {
      value += series[at];
      DWELL_UNROLL
      for (int f = 0; f < S::fields; ++f) v.of[f] = p.values.field == f ? value : v.of[f];
    } else if (own) {
      record[at] = value;
    }
    p = next;
    v.column = next.column;
  }
  if (v.point == end) v.column = point_row::none;
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
    columns_ = 0;
    if (row < 0) return;
    const point_row here = points.rows[row];
    columns_ = here.columns;
    if (columns_ == 0) return;
    const strip_point* const list = points.all->list;
    int from = here.first, behind = here.end;
    while (from < behind) {
      const int middle = (from + behind) / 2;
      if (list[middle].column < first)
        from = middle + 1;
      else
        behind = middle;
    }
    point_ = from;
    end_ = here.end;
    column_ = from < end_ ? list[from].column : point_row::none;
  }
  /// Does some lane have points in its column i?
  DWELL_FN bool has_some(int i) const { return (columns_ >> i & 1) != 0; }
  /// After step `step` of the pass, in this lane's column `column`: adds sources to v, values of
  /// all fields, and records receivers if the row is the team's own.
  template <class S>
  DWELL_FN void visit(const pass_points<T>& all, int step, int column, bool own,
                      cell_values<S, T>& v) {
    if (column_ != column) return;
    v.point = point_;
    v.column = column;
    v = with_points<S, T>(all.list, all.series, all.record, all.step + step, step, end_, own, v);
    point_ = v.point;
    column_ = v.column;
  }

 private:
  std::uint32_t columns_ = 0;
  int point_ = 0, end_ = 0, column_ = 0;
};

}  // namespace dwell
