// SPDX-License-Identifier: MIT
// How a pass of engine ring2d is divided: into strips of columns, which are laid end to end, row
// after row. A team's part of one strip is a segment: it begins and ends with rows of other teams,
// which it computes too.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"

namespace dwell {

/// What a row needs beside the stencil. none: not even that, it is passed on; plain: nothing;
/// sides: the first and the last columns of the field keep their values, which are those of the
/// first and the last lane; rows: whole rows may too, and steps may rest; any: so may columns
/// anywhere.
enum class ring_path { none, plain, sides, rows, any };

/// Rows that come into a warp and that it has to compute: from row `from` on, since values of rows
/// before it are lost or not there, and before row `until`, behind which lies a fixed border.
struct ring_rows {
  int from, until;
};

/// A team's part of a strip.
struct ring_segment {
  int strip;
  int first, end;  ///< its rows
  int begin;       ///< the row that comes in first
  int ticks;       ///< in which the rows pass, some a tick

  /// Segment of a run from row `at` of all strips on, before row `stop`. lag: rows that all steps
  /// of the pass are behind; ny: rows of a strip.
  DWELL_HD static ring_segment at(int at, int stop, int ny, int lag, int rows, bool beyond) {
    ring_segment s;
    s.strip = at / ny;
    s.first = at - s.strip * ny;
    s.end = stop - s.strip * ny < ny ? stop - s.strip * ny : ny;
    s.begin = beyond || s.first > lag ? s.first - lag : 0;
    s.ticks = (s.end + lag - s.begin + rows - 1) / rows;
    return s;
  }
  DWELL_HD int next(int ny) const { return strip * ny + end; }
  /// For warp `number` of a chain; by: rows by which a warp is behind the one before it.
  DWELL_HD ring_rows rows_of(int number, int by, int ny, bool beyond) const {
    return {beyond || begin > 0 ? begin + number * by : 0, beyond ? 1 << 30 : ny + by};
  }
};

}  // namespace dwell
