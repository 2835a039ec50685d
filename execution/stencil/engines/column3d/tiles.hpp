// SPDX-License-Identifier: MIT
// How a pass of engine column3d is divided: planes into tiles, which overlap along x and y, and the
// planes of each tile into parts of the teams' runs.
#pragma once
#include "dwell/execution/stencil/engines/column3d/sizes.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"
#include "dwell/formats/extents.hpp"

namespace dwell {

/// Where a tile lies in its planes, and the cells that it owns.
struct tile_place {
  int x, y;  ///< place of its first cell, which may lie before the field
  int own_x0, own_x1, own_y0, own_y1;
  bool inside;     ///< all of its columns lie in rows of the field
  bool at_border;  ///< it has cells of a border that is fixed
};

struct overlapping_tiles {
  overlapping_strips x, y;
  int across;  ///< columns begin at multiples of so many
  int pitch;   ///< pitch of rows

  DWELL_HD int count() const { return x.count() * y.count(); }
  DWELL_HD tile_place place(int tile) const {
    const int i = tile % x.count(), j = tile / x.count();
    tile_place t;
    // The last strip ends with the field, or a few cells later.
    t.x = (x.origin(i) + across - 1) / across * across;
    if (x.origin(i) < 0) t.x = x.origin(i);
    t.y = y.origin(j);
    t.own_x0 = x.first(i);
    t.own_x1 = x.end(i);
    t.own_y0 = y.first(j);
    t.own_y1 = y.end(j);
    t.inside = t.x >= 0 && t.x + x.width <= (x.beyond ? x.cells : pitch);
    t.at_border = !x.beyond && (i == 0 || i == x.count() - 1 || j == 0 || j == y.count() - 1);
    return t;
  }
};

/// Tiles of a field under a config.
DWELL_HD overlapping_tiles tiles_of(const column_config& c, int radius, const extents& size,
                                    boundary edge, int pitch) {
  const bool beyond = edge != boundary::fixed;
  const int halo = c.steps * radius;
  return {{32 * c.across, column_halo_x(c, radius), size.x, beyond},
          {perks_warps * c.down, halo, size.y, beyond},
          c.across,
          pitch};
}

/// A team's planes of one tile.
struct column_part {
  int tile;
  int first, end;  ///< planes that it owns
  int begin;       ///< the plane that comes in first

  /// Part of a run from plane `at` of all tiles on, before plane `stop`. halo: planes that the
  /// steps of a pass lose.
  DWELL_HD static column_part at(int at, int stop, int nz, int halo, bool fixed) {
    column_part p;
    p.tile = at / nz;
    p.first = at - p.tile * nz;
    p.end = stop - p.tile * nz < nz ? stop - p.tile * nz : nz;
    p.begin = !fixed || p.first > halo ? p.first - halo : 0;
    return p;
  }
};

}  // namespace dwell
