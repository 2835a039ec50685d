// SPDX-License-Identifier: MIT
// What the teams of a pass over several fields in three dimensions get: plain data, by value.
#pragma once
#include <cstdint>

#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"
#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// It is laid out for every stencil alike, so that a host fills it for kernels that are compiled at
/// run time.
template <class T>
struct fields_columns {
  int n[3] = {1, 1, 1};                      ///< rows, cells of a row, planes: axes y, x, z
  std::int64_t pitch = 0;                    ///< cells from a row to the next
  const T* from[field_limits::arrays] = {};  ///< fields, then coefficients
  T* to[field_limits::fields] = {};
  T outside[field_limits::arrays][3][2] =
      {};  ///< constants beyond the border: axis; lower, upper side
  T p[field_limits::parameters] = {};
  int teams = 1;
  /// Tiles that each team takes whole: side by side, so that what they read twice is in a cache.
  int whole = 0;
  pass_runs runs;  ///< runs of the tiles that are left: cuts count their planes, tile by tile
  /// Parameters of every step, [step][parameter], in place of p (pass_demands).
  const T* table = nullptr;
  /// With tiles in place of strips and planes in place of rows. A column is a cell of a tile's
  /// plane: lane * rows + row of the lane.
  pass_points<T> points;
};

}  // namespace dwell
