// SPDX-License-Identifier: MIT
// What the teams of a pass over several fields get: plain data, by value.
#pragma once
#include <cstdint>

#include "dwell/execution/stencil/partition/strips.hpp"
#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// A cell of a strip that has sources or receivers.
struct point_cell {
  static constexpr int no_row = 1 << 30;
  int row, column;  ///< of the field; of the strip
  int values;       ///< the first of its sources and then receivers; the next cell's end them
};
/// A source, whose value is in the series, or a receiver, whose value is in the record: at `at` for
/// step 0, and `stride` further for the next step.
struct point_values {
  std::int64_t at;
  int stride;
  short field;
  bool receives;
};

/// Sources and receivers of a pass (points.hpp). A cell is in the list of each strip that computes
/// it, its receivers in that of the strip which owns it.
template <class T>
struct pass_points {
  /// [strip][row], ny + 1 rows: the first cell of the strip in this row or behind it.
  const int* rows = nullptr;
  /// By strips, rows and columns; after the last one of a strip comes one of row no_row.
  const point_cell* cells = nullptr;
  const point_values* values = nullptr;
  const T* series = nullptr;  ///< values of sources, by steps of the runner
  std::int64_t step = 0;      ///< number of the pass's first step
  T* record = nullptr;        ///< values of receivers, from that step on
};

/// It is laid out for every stencil alike, so that a host fills it for kernels that are compiled at
/// run time.
template <class T>
struct fields_pass {
  int nx = 0, ny = 0;
  int pitch = 0;  ///< cells from a row to the next, whole units of copies
  const T* from[field_limits::arrays] = {};  ///< fields, then coefficients
  T* to[field_limits::fields] = {};
  T outside[field_limits::arrays][2][2] =
      {};  ///< constants beyond the border: axis y, x; lower, upper side
  T p[field_limits::parameters] = {};
  int warps = 0;  ///< warps of the chain that compute: a pass has warps * config.steps steps
  pass_runs runs;
  /// Parameters of every step, [step][parameter], in place of p (pass_demands).
  const T* table = nullptr;
  pass_points<T> points;
};

}  // namespace dwell
