// SPDX-License-Identifier: MIT
// The steps of fill(): columns and values into tiles, each lane its own items. A row's places in a
// tile are consecutive, lane by lane, and get its nonzeros item by item, so that neighbouring lanes
// hold neighbouring columns; which nonzero a place gets has a closed form.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/base/power_of_two.hpp"
#include "dwell/execution/krylov/spmv/ghost_steps.hpp"

namespace dwell::cutting {

/// Rank among the places [first, last) of a row in a tile, counted lane by lane: how many come
/// before item j of the lane in the order of items, then lanes.
DWELL_FN int rank_of(int first, int last, int lane, int j) {
  const int first_lane = first / tile_items, first_item = first % tile_items,
            last_item = last % tile_items;
  return j * (last / tile_items - first_lane) + smaller(j, last_item) - smaller(j, first_item) +
         lane - first_lane - (j < first_item);
}

/// f(j, k) for the items of a lane that have a nonzero k.
template <class F>
DWELL_FN void for_items(const csr_pattern& a, const tile_range& k, index row, unsigned path,
                        int lane, F&& f) {
  const int places = k.count;
  int first = -1, last = 0;  // places of the row
  DWELL_UNROLL
  for (int j = 0; j < tile_items; ++j) {
    if (lane * tile_items + j < places) {
      if (first < 0) {
        first = static_cast<int>(larger(a.row_ptr[row], k.begin) - k.begin);
        last = static_cast<int>(smaller(a.row_ptr[row + 1], k.end()) - k.begin);
      }
      f(j, k.begin + first + rank_of(first, last, lane, j));
      if (path >> j & 1) ++row, first = -1;
    }
  }
}

/// v times a power of two.
template <class T>
DWELL_FN T scaled(const power_of_two& by, T v) {
  if constexpr (is_complex_value<T>)
    return {static_cast<part_type<T>>(by(v.re)), static_cast<part_type<T>>(by(v.im))};
  else
    return static_cast<T>(by(v));
}

/// The 16 bytes of consecutive items that a lane loads at once.
template <class V>
struct alignas(16) piece_of {
  static constexpr int size = 16 / static_cast<int>(sizeof(V));
  V v[size];
};

/// A lane's items to their place in a tile.
template <class V>
DWELL_FN void put(V* tiles, int tile, int lane, const V* items) {
  using piece = piece_of<V>;
  auto* to = reinterpret_cast<piece*>(tiles + static_cast<std::int64_t>(tile) * tile_size);
  DWELL_UNROLL
  for (int i = 0; i < tile_items / piece::size; ++i) {
    piece one;
    DWELL_UNROLL
    for (int v = 0; v < piece::size; ++v) one.v[v] = items[i * piece::size + v];
    to[i * tile_lanes + lane] = one;
  }
}

/// Where the columns of a cut with ghosts are.
struct halo_places {
  const std::uint32_t* in_halo = nullptr;
  const index* before = nullptr;
  std::int64_t words = 0;
  index own = 0;
};

/// Per tile. Values if val is there; and columns, narrow or wide, if these are; and their places in
/// the ghost vector.
template <class T>
struct fill_tiles {
  csr_pattern a;
  const T* from;
  power_of_two scale;
  const team_part* part;
  int teams;
  const tile_header* header;
  const std::uint16_t* path;
  T* val;
  std::uint16_t* narrow;
  index* wide;
  std::uint16_t* ghost_columns;
  halo_places halo;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t begin, std::int64_t end, std::int64_t step) const {
    for_tiles(part, teams, begin, end, step, [&](int tile, int team, const team_part& t) {
      const tile_header h = header[tile];
      for (int lane = w.lane(); lane < tile_lanes; lane += Warp::lanes)
        fill_lane(w, tile, team, t, h, lane);
    });
  }

 private:
  template <class Warp>
  DWELL_FN void fill_lane(Warp& w, int tile, int team, const team_part& t, const tile_header& h,
                          int lane) const {
    const unsigned ends = path[static_cast<std::int64_t>(tile) * tile_lanes + lane];
    T values[tile_items];
    index columns[tile_items];  // padding gathers a column of this tile
    DWELL_UNROLL
    for (int j = 0; j < tile_items; ++j) values[j] = T(0), columns[j] = h.column;
    const bool with_columns = narrow || wide || ghost_columns;
    for_items(a, tile_range(t, tile), h.first_row + static_cast<index>(ends >> 8), ends, lane,
              [&](int j, std::int64_t k) {
                values[j] = scaled(scale, from[k]);
                if (with_columns) columns[j] = a.col[k];
              });
    put(val, tile, lane, values);
    if (wide) put(wide, tile, lane, columns);
    std::uint16_t near[tile_items];
    if (narrow) {
      DWELL_UNROLL
      for (int j = 0; j < tile_items; ++j)
        near[j] = static_cast<std::uint16_t>(columns[j] - h.column);
      put(narrow, tile, lane, near);
    }
    if (ghost_columns) {
      for (int j = 0; j < tile_items; ++j)
        near[j] = static_cast<std::uint16_t>(place_of(w, team, t, columns[j]));
      put(ghost_columns, tile, lane, near);
    }
  }
  template <class Warp>
  DWELL_FN index place_of(const Warp& w, int team, const team_part& t, index column) const {
    if (column >= t.begin.row && column < t.end.row) return column - t.begin.row;
    return halo.own + slot_of(w, halo.in_halo, halo.before, halo.words, team, column);
  }
};

/// Per nonzero, for teams that walk rows.
template <class T>
struct scale_values {
  const T* from;
  power_of_two scale;
  T* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t k) const {
    to[k] = scaled(scale, from[k]);
  }
};

}  // namespace dwell::cutting
