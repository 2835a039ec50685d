// SPDX-License-Identifier: MIT
// How passes are divided whose teams compute cells of others again: strips of an axis overlap by
// the halos that the steps of a pass lose. The layers of all strips are laid end to end, and every
// team takes a run of them, which may go through several strips.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// Which copy of the field a pass reads, its steps, and the runs of the teams.
struct pass_runs {
  static constexpr int most_teams = 320;
  int from = 0, steps = 0;
  int cut[most_teams + 1] =
      {};  ///< team t has layers cut[t] to cut[t + 1] - 1, counted through all strips
};

/// The strips of an axis of so many cells. Where the border is fixed the first strip begins with
/// the field, and the last one ends with it; else strips have halos beyond the field.
struct overlapping_strips {
  int width, halo, cells;
  bool beyond;  ///< the border is not fixed

  DWELL_HD int own() const { return width - 2 * halo; }
  DWELL_HD int count() const {
    if (beyond) return (cells + own() - 1) / own();
    if (cells <= width) return 1;
    const int inner = cells - 2 * (own() + halo);
    return 2 + (inner > 0 ? (inner + own() - 1) / own() : 0);
  }
  /// Column of a strip's first cell; it may lie before the field if the border is not fixed.
  DWELL_HD int origin(int strip) const {
    if (beyond) return strip * own() - halo;
    const int last = cells > width ? cells - width : 0;
    return strip == count() - 1 ? last : strip * own();
  }
  /// The first column that the strip owns, and the one after its last.
  DWELL_HD int first(int strip) const {
    if (beyond) return strip * own();
    return strip == 0 ? 0 : strip * own() + halo;
  }
  DWELL_HD int end(int strip) const {
    if (strip == count() - 1) return cells;
    return (strip + 1) * own() + (beyond ? 0 : halo);
  }
};

}  // namespace dwell
