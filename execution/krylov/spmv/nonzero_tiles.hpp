// SPDX-License-Identifier: MIT
// The matrix as the teams of a GPU read it. Equal shares of the merge path give every team its rows
// and nonzeros (Merrill and Garland, SC 2016). A team's nonzeros are cut into tiles of 256, eight
// consecutive ones per lane of a warp, and stored so that a warp's loads are contiguous and every
// lane has its own run of nonzeros in registers: no staging, no search, no row pointers. Which of a
// lane's nonzeros end a row is a bit mask; the rows themselves are counted. A row that a cut
// divides is put together afterwards from the carries, in fixed order.
//
// A gather costs as many cache lines as the lanes of a warp touch together. So, where a row lies
// across lanes, its nonzeros are dealt out item by item: lanes side by side hold columns side by
// side. Who makes a cut: cut_matrix.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/formats/csr_view.hpp"
#include "dwell/formats/merge_path.hpp"

namespace dwell {

inline constexpr int tile_lanes = 32;
inline constexpr int tile_items = 8;  ///< nonzeros per lane; their end marks and a row fit 16 bits
inline constexpr int tile_size = tile_lanes * tile_items;

/// Where item j of a lane stands among the elements of its tile, for elements of `Bytes` bytes:
/// lanes side by side in pieces of 16 bytes.
template <std::size_t Bytes>
DWELL_HD int tile_slot(int lane, int j) {
  constexpr int per_piece = 16 / static_cast<int>(Bytes);
  return (j / per_piece * tile_lanes + lane) * per_piece + j % per_piece;
}

struct alignas(16) tile_header {
  index first_row = 0;  ///< row of the tile's first nonzero
  index column = 0;     ///< the smallest of the tile; narrow columns are relative to it
  index open_row = 0;   ///< the row of the nonzero after the last one: owner of the tile's carry
  int carry_from = 0;   ///< the first tile of this team whose carry belongs to first_row, if that
                       ///< row ends in this tile and began in an earlier one; else this tile itself
};

/// What one team owns.
struct team_part {
  merge_coordinate begin, end;  ///< its rows are those that end in it: [begin.row, end.row)
  int first_tile = 0, last_tile = 0;
  /// The carries of teams carry_from .. this - 1 are missing in this team's first row.
  int carry_from = 0;
  /// The carries of tiles open_from .. last_tile - 1 belong to the row that is open at the end.
  int open_from = 0;
};

}  // namespace dwell
