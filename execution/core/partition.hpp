// SPDX-License-Identifier: MIT
// How a matrix is cut between teams, tiles and lanes: equal shares of the merge path at every
// level, found once per solve. A row that a cut divides is finished by the team in which it ends,
// from the carries of the teams before, after the barrier that is there anyway.
#pragma once
#include <cstdint>
#include <vector>

#include "dwell/execution/core/plan.hpp"
#include "dwell/formats/merge_path.hpp"

namespace dwell {

/// The path of one lane through a tile: bit j of the low 16 is set if its j-th item ends a row; the
/// high 16 are the rows of the tile that end before its first item.
inline constexpr int path_bits = 16;

struct partition {
  int teams = 1;
  int tiles = 1;  ///< per team
  int items = 0;  ///< merge items per lane and tile; 0: no lanes (rows one after the other)
  /// Tile k of team t begins at tile_begin[t * tiles + k] and ends where the next one begins.
  std::vector<merge_coordinate> tile_begin;
  std::vector<std::uint32_t> lane_path;
  /// carry_from[t]: the first team whose carry belongs to the first row that ends in team t; t if
  /// that row begins in team t. The carries of teams carry_from[t] .. t - 1 are its missing parts.
  std::vector<int> carry_from;

  /// Rows that end in team t, and are its own, are [row_begin(t), row_begin(t + 1)).
  index row_begin(int t) const { return tile_begin[static_cast<std::size_t>(t) * tiles].row; }
};

/// Cuts the rows of `row_ptr` (rows + 1 entries) for `teams` teams of the given rung.
partition cut(const index* row_ptr, index rows, const rung& shape, int teams);

}  // namespace dwell
