// SPDX-License-Identifier: MIT
// How a pass of engine multi_queue is divided: layers into tiles, which overlap, and the layers of
// each tile into parts of the teams' runs; or, with device tiling, into tiles of all teams
// together, of which each has its place.
#pragma once
#include "studies/ebisu/sizes.hpp"

#include "dwell/execution/stencil/engines/column3d/tiles.hpp"

namespace dwell {

/// What a tile is like, in cells.
struct queue_tile {
  int width, height;
  int halo;     ///< cells at each side that a pass loses
  bool device;  ///< tiles are those of all teams
};

DWELL_HD constexpr queue_tile tile_of(const queue_config& c, int dims, int radius) {
  return {dims == 2 ? perks_lanes * c.cells : 32, dims == 2 ? 1 : perks_warps * c.cells,
          c.steps * radius, queue_variants[c.variant].device};
}

/// Tiles of so many teams along x and y; 1 and 1 unless tiles are those of all teams.
DWELL_HD overlapping_tiles queue_tiles(const queue_tile& t, const extents& size, boundary edge,
                                       int pitch, int teams_x, int teams_y) {
  const bool beyond = edge != boundary::fixed;
  overlapping_tiles tiles{{t.width * teams_x, t.halo, size.x, beyond}, {1, 0, 1, false}, 2, pitch};
  if (size.dims == 3) tiles.y = {t.height * teams_y, t.halo, size.y, beyond};
  return tiles;
}

}  // namespace dwell
