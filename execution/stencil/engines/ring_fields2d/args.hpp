// SPDX-License-Identifier: MIT
// What the teams of a pass over several fields get: plain data, by value.
#pragma once
#include <cstdint>

#include "dwell/execution/stencil/partition/strips.hpp"
#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// Where a source has its values, in the series, or a receiver, in the record: at `at` in step 0,
/// and `stride` further in the next step.
struct point_values {
  std::int64_t at;
  int stride;
  short field;
  bool receives;
};
/// A source or a receiver in a strip. Loaded at once.
struct alignas(16) strip_point {
  point_values values;
  int column;  ///< counted from the strip's first
};
/// A row of a strip.
struct alignas(16) point_row {
  static constexpr int none = 1 << 30;
  int first, end;         ///< its points in the list
  std::uint32_t columns;  ///< bit i: some lane has points in the i-th of its columns
  int next;               ///< the first row from this one on that has points, or none
};

/// Sources and receivers of a pass (points.hpp). A source is in the list of each strip that
/// computes its cell, a receiver in that of the strip which owns it.
template <class T>
struct pass_points {
  const point_row* rows = nullptr;  ///< rows of each strip, and one behind its last
  /// By strips, rows and columns, of a cell sources and then receivers; and one more at the end.
  const strip_point* list = nullptr;
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
