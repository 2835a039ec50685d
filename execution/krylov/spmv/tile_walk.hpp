// SPDX-License-Identifier: MIT
// The tiles of a team, by its warps, as members of store: every lane sums its own run of nonzeros,
// and a segmented scan over the warp joins rows that lanes share. Three ways to go through them:
// tiles held in registers, tiles cached in scratch, or each from where it is, the next one's loads
// under way.
#pragma once
#include <cstdint>
#include <utility>

#include "dwell/execution/krylov/spmv/tile_part.hpp"
#include "dwell/execution/krylov/vectors/store.hpp"

namespace dwell {

template <class P, class T, class Team, class Shape>
template <int In, int... Out>
DWELL_FN void store<P, T, Team, Shape>::walk_tiles() {
  if constexpr (fully_cached)
    walk_cached_tiles<covered_column<Shape>, In, Out...>();
  else if (a_.tiles.narrow)
    walk_tiles_of<std::uint16_t, In, Out...>();
  else
    walk_tiles_of<index, In, Out...>();
}

template <class P, class T, class Team, class Shape>
template <int Round, int In, int... Out, class Warp>
DWELL_FN void store<P, T, Team, Shape>::multiply_in_registers(Warp& warp, int tiles) {
  const int tile = warp.number() + Round * Team::warp_count;
  if (tile < tiles)
    multiply<true, In, Out...>(warp, cache_.template tiles_in_registers<Round>(),
                               part_.first_tile + tile);
}

/// All is in scratch: nothing to load ahead, no test where a tile is.
template <class P, class T, class Team, class Shape>
template <class Column, int In, int... Out>
DWELL_FN void store<P, T, Team, Shape>::walk_cached_tiles() {
  const int tiles = part_.last_tile - part_.first_tile;
  team_.warps([&](auto& warp) {
    auto part = warp.template per_lane<tile_part<T, Column>>();
    if constexpr (shape.tiles_in_registers > 0)
      [&]<int... Round>(std::integer_sequence<int, Round...>) {
        (multiply_in_registers<Round, In, Out...>(warp, tiles), ...);
      }
    (std::make_integer_sequence<int, shape.tiles_in_registers>{});
    for (int tile = warp.number() + shape.tiles_in_registers * Team::warp_count; tile < tiles;
         tile += Team::warp_count) {
      warp.each([&](int lane) {
        part[lane].template load<Team, false>(cache_.view(), columns_of<Column>(cache_.view()),
                                              tile - cache_.register_tile_count(), lane);
      });
      multiply<true, In, Out...>(warp, part, part_.first_tile + tile);
    }
  });
}

template <class P, class T, class Team, class Shape>
template <class Column, int In, int... Out>
DWELL_FN void store<P, T, Team, Shape>::walk_tiles_of() {
  if constexpr (shape.caches)
    if (part_.last_tile - part_.first_tile <= a_.cache.tiles && a_.cache.carries > 0 &&
        ((a_.cache.vector[Out] > 0) && ...))
      return walk_cached_tiles<Column, In, Out...>();
  const auto load = [&](auto& warp, auto& part, int tile) {
    if constexpr (shape.caches)
      if (const int cached = cache_.cached_as(tile - part_.first_tile); cached >= 0) {
        warp.each([&](int lane) {
          part[lane].template load<Team, false>(cache_.view(), columns_of<Column>(cache_.view()),
                                                cached, lane);
        });
        return;
      }
    warp.each([&](int lane) {
      part[lane].template load<Team, true>(a_.tiles, columns_of<Column>(a_.tiles), tile, lane);
    });
  };
  team_.warps([&](auto& warp) {
    auto part = warp.template per_lane<tile_part<T, Column>>();
    int tile = part_.first_tile + warp.number();
    if (tile >= part_.last_tile) return;
    if constexpr (!shape.ahead) {
      for (; tile < part_.last_tile; tile += Team::warp_count) {
        load(warp, part, tile);
        multiply<false, In, Out...>(warp, part, tile);
      }
    } else {
      load(warp, part, tile);
      for (;;) {
        const int next_tile = tile + Team::warp_count;
        auto next = part;
        if (next_tile < part_.last_tile) load(warp, next, next_tile);
        multiply<false, In, Out...>(warp, part, tile);
        if (next_tile >= part_.last_tile) break;
        part = next;
        tile = next_tile;
      }
    }
  });
}

/// One tile: rows that end in it go to Out, what is left to the tile's carry. Resident: Out and the
/// carries are in scratch, where a lane may as well read again what it wrote. Columns: a row of Out
/// is one pack, written at once.
template <class P, class T, class Team, class Shape>
template <bool Resident, int In, int... Out, class Warp, class Parts>
DWELL_FN void store<P, T, Team, Shape>::multiply(Warp& warp, Parts& part, int tile) {
  constexpr int width = product_width<Out...>;
  constexpr bool of_columns = columns > 1;
  using one = pack<width>;
  const one* p;
  if constexpr (with_ghosts)
    p = reinterpret_cast<const one*>(cache_.home(In));
  else
    p = gathered<In, width>();
  T* const q[] = {(place<Resident, Out>() - part_.begin.row)...};
  [[maybe_unused]] one* rows = nullptr;
  if constexpr (of_columns) rows = rows_of<Out...>();
  const auto first_of = [&](const auto& mine) { return mine.header.first_row + (mine.path >> 8); };
  auto head = warp.template per_lane<one>();  // part of the first row that ends in the lane
  auto tail = warp.template per_lane<one>();  // what the lane leaves for a later one
  auto ended = warp.template per_lane<bool>();
  warp.each([&](int lane) {
    const auto& mine = part[lane];
    constexpr int at_once = tile_items / width;  // gathers under way: registers are few
    one x[at_once];
    const int ends = mine.path & 0xff;
    index row = first_of(mine);
    T* y[width];  // place of the row that ends next
    if constexpr (!of_columns) {
      DWELL_UNROLL
      for (int w = 0; w < width; ++w) y[w] = q[w] + row;
    }
    one acc = {}, first = {};
    DWELL_UNROLL
    for (int j = 0; j < tile_items; ++j) {
      if (j % at_once == 0) {
        DWELL_UNROLL
        for (int k = 0; k < at_once; ++k) x[k] = p[mine.column(j + k)];
      }
      const bool end = ends >> j & 1;
      DWELL_UNROLL
      for (int w = 0; w < width; ++w)
        acc.v[w] = std::fma(mine.value(j), x[j % at_once].v[w], acc.v[w]);
      if constexpr (Resident) {
        if (end) {
          DWELL_UNROLL
          for (int w = 0; w < width; ++w) {
            *y[w]++ = acc.v[w];
            acc.v[w] = T(0);
          }
        }
      } else {
        const bool earliest = (ends & ((1 << j) - 1)) == 0;
        if constexpr (of_columns)
          if (end) rows[row] = acc;
        DWELL_UNROLL
        for (int w = 0; w < width; ++w) {
          if constexpr (!of_columns)
            if (end) q[w][row] = acc.v[w];
          if (end && earliest) first.v[w] = acc.v[w];
          if (end) acc.v[w] = T(0);
        }
        row += end;
      }
    }
    head[lane] = first;
    ended[lane] = ends != 0;
    tail[lane] = acc;
  });
  T* const left_over = carry_place<Resident>(tile);
  DWELL_UNROLL
  for (int w = 0; w < width; ++w) {
    auto left = warp.template per_lane<T>();    // what the lane leaves of component w,
    auto before = warp.template per_lane<T>();  // and what earlier lanes leave for it
    warp.each([&](int lane) { left[lane] = tail[lane].v[w]; });
    const T carry = warp.carries(left, ended, before);
    warp.each([&](int lane) {
      if constexpr (of_columns) {
        head[lane].v[w] += before[lane];
      } else {
        T* const y = q[w] + first_of(part[lane]);
        if (ended[lane]) *y = (Resident ? *y : head[lane].v[w]) + before[lane];
      }
      if (lane % tile_lanes == tile_lanes - 1) left_over[w] = carry;
    });
  }
  if constexpr (of_columns)
    warp.each([&](int lane) {
      if (ended[lane]) rows[first_of(part[lane])] = head[lane];
    });
}

}  // namespace dwell
