// SPDX-License-Identifier: MIT
// The cuts: a diagonal search per tile, then one walk along the merge path for the lanes' paths.
#include "dwell/execution/core/partition.hpp"

#include <algorithm>

#include "dwell/formats/parallel.hpp"

namespace dwell {
namespace {

/// Descriptors of the lanes of one tile that spans [begin, end) of the merge path.
void walk_tile(const index* row_end, merge_coordinate begin, merge_coordinate end, int lanes,
               int items, std::uint32_t* path) {
  index row = begin.row, k = begin.nonzero;
  for (int lane = 0; lane < lanes; ++lane) {
    std::uint32_t descriptor = static_cast<std::uint32_t>(row - begin.row) << path_bits;
    for (int j = 0; j < items; ++j) {
      if (row == end.row && k == end.nonzero) break;
      if (row < end.row && k == row_end[row]) {
        descriptor |= 1u << j;
        ++row;
      } else {
        ++k;
      }
    }
    path[lane] = descriptor;
  }
}

}  // namespace

partition cut(const index* row_ptr, index rows, const rung& shape, int teams) {
  const index nonzeros = rows ? row_ptr[rows] : 0;
  const index* row_end = row_ptr + 1;
  const std::int64_t all = static_cast<std::int64_t>(rows) + nonzeros;
  partition p;
  p.teams = teams;
  if (shape.items > 0) {
    const std::int64_t share = std::max<std::int64_t>(1, (all + teams - 1) / teams);
    const std::int64_t tile = static_cast<std::int64_t>(shape.lanes) * shape.items;
    p.tiles = static_cast<int>((share + tile - 1) / tile);
    const std::int64_t lanes = static_cast<std::int64_t>(p.tiles) * shape.lanes;
    // Equal tiles; an odd count of items keeps lanes on different banks (shape.items is odd).
    p.items = static_cast<int>((share + lanes - 1) / lanes) | 1;
  }
  const std::size_t tiles = static_cast<std::size_t>(teams) * p.tiles;
  const std::int64_t tile_items = static_cast<std::int64_t>(shape.lanes) * p.items;
  p.tile_begin.resize(tiles + 1);
  p.lane_path.resize(p.items ? tiles * shape.lanes : 0);
  p.carry_from.resize(teams);

  const auto begin_of = [&](std::size_t tile) {
    const int team = static_cast<int>(tile / p.tiles), k = static_cast<int>(tile % p.tiles);
    if (team == teams) return all;
    return std::min(merge_share(all, team, teams) + k * tile_items,
                    merge_share(all, team + 1, teams));
  };
  const int parts = all < (1 << 16) ? 1 : default_threads();
  for_parts(parts, [&](int part) {
    const auto [first, last] = piece(tiles + 1, part, parts);
    for (std::size_t tile = first; tile < last; ++tile)
      p.tile_begin[tile] = merge_path_search(begin_of(tile), row_end, rows, nonzeros);
  });
  if (p.items)
    for_parts(parts, [&](int part) {
      const auto [first, last] = piece(tiles, part, parts);
      for (std::size_t tile = first; tile < last; ++tile)
        walk_tile(row_end, p.tile_begin[tile], p.tile_begin[tile + 1], shape.lanes, p.items,
                  &p.lane_path[tile * shape.lanes]);
    });

  // A team that ends inside a row hands that part to the team in which the row ends.
  for (int t = 0; t < teams; ++t) {
    p.carry_from[t] = t;
    const index row = p.row_begin(t);
    if (p.row_begin(t + 1) == row) continue;  // no row ends here
    int from = t;
    while (from > 0 && p.row_begin(from) == row &&
           p.tile_begin[static_cast<std::size_t>(from) * p.tiles].nonzero > row_ptr[row])
      --from;
    p.carry_from[t] = from;
  }
  return p;
}

}  // namespace dwell
