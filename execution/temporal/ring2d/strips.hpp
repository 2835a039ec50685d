// SPDX-License-Identifier: MIT
// How a pass of engine ring2d is divided. The field is cut into strips of columns, which overlap by
// the halos that the steps of a pass lose. Strips are laid end to end, row after row, and every
// team takes a run of rows of that, which may go through several strips. A team's part of one strip
// is a segment: it begins and ends with rows of other teams, which it computes too.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/execution/stencil/stencil.hpp"

namespace dwell {

/// Which copy of the field a pass reads, its steps, and the runs of the teams.
struct ring_pass {
  static constexpr int most_teams = 256;
  int from = 0, steps = 0;
  int cut[most_teams + 1] = {};  ///< team t has rows cut[t] to cut[t + 1] - 1 of all strips
};

/// The strips of rows of nx cells. Where the border is fixed the first strip begins with the field,
/// and the last one ends with it; else strips have halos beyond the field.
struct ring_strips {
  int width, halo, nx;
  bool beyond;  ///< the border is not fixed

  DWELL_HD int own() const { return width - 2 * halo; }
  DWELL_HD int count() const {
    if (beyond) return (nx + own() - 1) / own();
    if (nx <= width) return 1;
    const int inner = nx - 2 * (own() + halo);
    return 2 + (inner > 0 ? (inner + own() - 1) / own() : 0);
  }
  /// Column of a strip's first cell; it may lie before the field if the border is not fixed.
  DWELL_HD int origin(int strip) const {
    if (beyond) return strip * own() - halo;
    const int last = nx > width ? nx - width : 0;
    return strip == count() - 1 ? last : strip * own();
  }
  /// The first column that the strip owns, and the one after its last.
  DWELL_HD int first(int strip) const {
    if (beyond) return strip * own();
    return strip == 0 ? 0 : strip * own() + halo;
  }
  DWELL_HD int end(int strip) const {
    if (strip == count() - 1) return nx;
    return (strip + 1) * own() + (beyond ? 0 : halo);
  }
};

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

  /// Of a run from row `at` of all strips on, before row `stop`. lag: rows that all steps of the
  /// pass are behind; ny: rows of a strip.
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
