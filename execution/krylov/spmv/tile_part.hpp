// SPDX-License-Identifier: MIT
// A lane's part of a tile (nonzero_tiles.hpp) while its warp multiplies it: eight nonzeros, in
// pieces of 16 bytes as they were loaded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/program_args.hpp"
#include "dwell/execution/krylov/spmv/nonzero_tiles.hpp"

namespace dwell {

/// How columns are stored where a config assumes all.
template <class Shape>
using covered_column = std::conditional_t<Shape::value.wide, index, std::uint16_t>;

template <class Column, class T>
DWELL_FN const Column* columns_of(const tiles_view<T>& m) {
  if constexpr (sizeof(Column) == 2)
    return m.narrow;
  else
    return m.wide;
}

/// A lane's part of a tile, as loaded. Columns: uint16_t, relative to the header's; or index.
template <class T, class Column>
struct tile_part {
  struct alignas(16) values {
    T v[16 / sizeof(T)];
  };
  struct alignas(16) columns {
    std::uint32_t v[4];  // packed until they are used: unpacking waits for the load
  };
  static constexpr int value_pieces = tile_items * static_cast<int>(sizeof(T)) / 16;
  static constexpr int column_pieces = tile_items * static_cast<int>(sizeof(Column)) / 16;
  values val[value_pieces];
  columns col[column_pieces];
  tile_header header;
  std::uint16_t path;

  /// Stream: from memory where a load is worth a hint (global); else scratch.
  template <class Team, bool Stream>
  DWELL_FN void load(const tiles_view<T>& m, const Column* cols, int tile, int lane) {
    const int l = lane % tile_lanes;
    const std::size_t at = static_cast<std::size_t>(tile);
    const auto* v = reinterpret_cast<const values*>(m.val + at * tile_size) + l;
    const auto* c = reinterpret_cast<const columns*>(cols + at * tile_size) + l;
    DWELL_UNROLL
    for (int i = 0; i < column_pieces; ++i)
      col[i] = Stream ? Team::stream(c + i * tile_lanes) : c[i * tile_lanes];
    DWELL_UNROLL
    for (int i = 0; i < value_pieces; ++i)
      val[i] = Stream ? Team::stream(v + i * tile_lanes) : v[i * tile_lanes];
    path = m.path[at * tile_lanes + l];
    header = m.header[at];
  }
  DWELL_FN T value(int j) const { return val[j / (16 / sizeof(T))].v[j % (16 / sizeof(T))]; }
  DWELL_FN index column(int j) const {
    if constexpr (sizeof(Column) == 2) {
      const std::uint32_t pair = col[j / 8].v[j % 8 / 2];
      return header.column + static_cast<index>(j % 2 ? pair >> 16 : pair & 0xffffu);
    } else {
      return static_cast<index>(col[j / 4].v[j % 4]);
    }
  }
};

}  // namespace dwell
