// SPDX-License-Identifier: MIT
// The tiles of a team, by its warps, each from where it is, the next one's loads under way; and the
// rows that tiles share, put together from the carries afterwards. Where a tile is loaded from is
// the caller's: device memory, or a cache on the chip.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/spmv/nonzero_tiles.hpp"
#include "dwell/execution/krylov/spmv/tile_part.hpp"

namespace dwell {

/// load(warp, part, tile) and multiply(warp, part, tile) for tiles [first, last) of the team.
/// Ahead: a warp loads its next tile before it works on this one.
template <bool Ahead, class T, class Column, class Team, class Load, class Multiply>
DWELL_FN void walk_tiles(Team& team, int first, int last, Load&& load, Multiply&& multiply) {
  team.warps([&](auto& warp) {
    auto part = warp.template per_lane<tile_part<T, Column>>();
    int tile = first + warp.number();
    if (tile >= last) return;
    if constexpr (!Ahead) {
      for (; tile < last; tile += Team::warp_count) {
        load(warp, part, tile);
        multiply(warp, part, tile);
      }
    } else {
      load(warp, part, tile);
      for (;;) {
        const int next_tile = tile + Team::warp_count;
        auto next = part;
        if (next_tile < last) load(warp, next, next_tile);
        multiply(warp, part, tile);
        if (next_tile >= last) break;
        part = next;
        tile = next_tile;
      }
    }
  });
}

/// A lane's part of the joining, after all lanes have met: the rows that end in a tile and began in
/// an earlier one of the team get what is missing. header(tile); carry(tile): Width values;
/// add(row, missing).
template <class T, int Width, class Team, class Header, class Carry, class Add>
DWELL_FN void join_tiles(const team_part& part, int lane, Header&& header, Carry&& carry,
                         Add&& add) {
  for (int tile = part.first_tile + lane; tile < part.last_tile; tile += Team::lanes()) {
    const tile_header h = header(tile);
    if (h.carry_from == tile) continue;
    T missing[Width] = {};
    for (int t = h.carry_from; t < tile; ++t)
      for (int w = 0; w < Width; ++w) missing[w] += carry(t)[w];
    add(h.first_row, missing);
  }
}

/// What is left of the row that is open at the end of a team's part.
template <class T, class Carry>
DWELL_FN T open_carry(const team_part& part, Carry&& carry) {
  T open = T(0);
  for (int t = part.open_from; t < part.last_tile; ++t) open += *carry(t);
  return open;
}

}  // namespace dwell
