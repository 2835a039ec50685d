// SPDX-License-Identifier: MIT
// The product as a member of workspace: which vector is read and written, and where elements, tiles
// and carries of a team live. The product itself is in spmv/, in two ways for one cut of the
// matrix. By tiles (nonzero_tiles.hpp), a warp at a time: held in registers, cached in scratch, or
// each from where it is. By rows: one lane walks the team's whole part of the merge path; made for
// CPUs.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "dwell/execution/krylov/spmv/multiply_tile.hpp"
#include "dwell/execution/krylov/spmv/row_sums.hpp"
#include "dwell/execution/krylov/spmv/tile_walk.hpp"
#include "dwell/execution/krylov/vectors/workspace.hpp"

namespace dwell {

template <class P, class T, class Team, class Shape>
template <int Sum, int In, int... Out>
DWELL_FN void workspace<P, T, Team, Shape>::spmv_rows() {
  constexpr int width = product_width<Out...>;
  constexpr bool summed = Sum != no_sum;
  auto dot = team_.template per_lane<sums<1>>();
  T carry = T(0);
  team_.each([&](int lane) { dot[lane].v[0] = 0.0; });
  team_.once([&] {
    const auto& m = a_.matrix;
    const auto* p = gathered<In, width>();
    [[maybe_unused]] T* const q[] = {a_.vectors[Out]...};
    double sum = 0.0;
    const index begin = part_.begin.row, end = part_.end.row;
    const auto walk = [&](index first, index last) {
      const std::int64_t k = first == begin ? part_.begin.nonzero : m.row_ptr[first];
      each_row(m.row_ptr, first, last, k, [&](index row, std::int64_t from, std::int64_t to) {
        if constexpr (columns > 1) {
          rows_of<Out...>()[row] = row_sums_of_columns<Team>(m.val, m.col, p, from, to);
        } else {
          const auto y = row_sum<Team>(m.val, m.col, p, from, to);
          for (int w = 0; w < width; ++w) q[w][row] = y.v[w];
          if constexpr (summed)
            sum += static_cast<double>(y.v[0]) * static_cast<double>(p[row].v[0]);
        }
      });
    };
    if (a_.between) {  // the rows that read no elements of other ranks come first
      const index from = std::clamp(a_.interior_begin, begin, end);
      const index to = std::clamp(a_.interior_end, from, end);
      walk(from, to);
      a_.between->await_elements(team_.worker() == 0);
      walk(begin, from);
      walk(to, end);
    } else {
      walk(begin, end);
    }
    if constexpr (summed) {
      const std::int64_t k = begin < end ? m.row_ptr[end] : part_.begin.nonzero;
      if (k < part_.end.nonzero) {
        carry = row_sum<Team>(m.val, m.col, p, k, part_.end.nonzero).v[0];
        sum += static_cast<double>(carry) * static_cast<double>(p[part_.end.row].v[0]);
      }
      dot[0].v[0] = sum;
    }
  });
  if constexpr (summed) {
    if constexpr (!Team::alone)
      team_.put_partial(carry_slot, [&] { return static_cast<double>(carry); });
    give(Sum, dot);
  }
}

/// The tiles, then the rows that tiles of this team share.
template <class P, class T, class Team, class Shape>
template <int Sum, int In, int... Out>
DWELL_FN void workspace<P, T, Team, Shape>::spmv_tiles() {
  if constexpr (Sum == no_sum) {
    walk_tiles<In, Out...>();
    team_.section([](int) {});
    team_.each([&](int lane) { join_tiles<Out...>(lane); });
    pending_ = true;
  } else {
    // The element of In that belongs to the row left open at the end is another team's: it is asked
    // for now and used at the end.
    const index after = part_.end.row;
    const T foreign = Team::alone || after >= a_.matrix.rows ? T(0) : foreign_element<In>(after);
    walk_tiles<In, Out...>();
    team_.section([](int) {});
    sum_tiles<Sum, In, Out...>(foreign);
  }
}

/// The element of In of a row that another team owns.
template <class P, class T, class Team, class Shape>
template <int In>
DWELL_FN T workspace<P, T, Team, Shape>::foreign_element(index row) const {
  if constexpr (with_ghosts)
    return cache_.template open_element<In>(a_);
  else
    return gathered<In, 1>()[row].v[0];
}

/// The sum In . Out is linear in the parts of rows: so it is taken over the values in Out and in
/// the carries. Only then are rows put together, and the part that is left goes to the team after.
template <class P, class T, class Team, class Shape>
template <int Sum, int In, int Out>
DWELL_FN void workspace<P, T, Team, Shape>::sum_tiles(T foreign) {
  const index after = part_.end.row;
  auto dot = team_.template per_lane<sums<1>>();
  team_.each([&](int lane) { dot[lane].v[0] = 0.0; });
  pass(reads<In, Out>{}, writes<>{}, [&](int lane, T* v) {
    dot[lane].v[0] =
        std::fma(static_cast<double>(v[In]), static_cast<double>(v[Out]), dot[lane].v[0]);
  });
  team_.each([&](int lane) {
    for (int tile = part_.first_tile + lane; tile < part_.last_tile; tile += Team::lanes()) {
      const index row = header(tile).open_row;
      const T with = row < after ? *at<In>(row - part_.begin.row) : foreign;
      dot[lane].v[0] = std::fma(static_cast<double>(*tile_carry(tile)), static_cast<double>(with),
                                dot[lane].v[0]);
    }
  });
  give(Sum, dot);  // the lanes meet in here
  if constexpr (Team::alone) team_.section([](int) {});
  team_.each([&](int lane) { join_tiles<Out>(lane); });
  pending_ = true;
  if constexpr (Team::alone) return;
  team_.put_partial(carry_slot, [&] {
    return static_cast<double>(open_carry<T>(part_, [&](int tile) { return tile_carry(tile); }));
  });
}

template <class P, class T, class Team, class Shape>
template <int Out>
DWELL_FN void workspace<P, T, Team, Shape>::finish(writes<Out>) {
  const int me = team_.part();
  if (Team::alone || part_.carry_from == me) return;
  if (pending_) team_.section([](int) {});  // another lane may have joined tiles in this row
  // By a lane that has no part in total(), whose barrier then serves both.
  team_.each([&](int lane) {
    if (lane != Team::lanes() - 1) return;
    T missing = T(0);
    for (int t = part_.carry_from; t < me; ++t)
      missing += static_cast<T>(team_.partial(carry_slot, t));
    *base<Out>() += missing;
  });
  pending_ = true;
}

template <class P, class T, class Team, class Shape>
template <int... Out>
DWELL_FN void workspace<P, T, Team, Shape>::join_tiles(int lane) {
  constexpr int width = product_width<Out...>;
  dwell::join_tiles<T, width, Team>(
      part_, lane, [&](int tile) { return header(tile); },
      [&](int tile) { return tile_carry(tile); },
      [&](index first_row, const T* missing) {
        if constexpr (columns > 1) {
          pack<width>& row = rows_of<Out...>()[first_row];
          for (int w = 0; w < width; ++w) row.v[w] += missing[w];
        } else {
          int w = 0;
          ((base<Out>()[first_row - part_.begin.row] += missing[w], ++w), ...);
        }
      });
}

template <class P, class T, class Team, class Shape>
template <int In, int... Out>
DWELL_FN void workspace<P, T, Team, Shape>::walk_tiles() {
  if constexpr (fully_cached)
    walk_cached_tiles<covered_column<Shape>, In, Out...>();
  else if (a_.tiles.narrow)
    walk_tiles_of<std::uint16_t, In, Out...>();
  else
    walk_tiles_of<index, In, Out...>();
}

template <class P, class T, class Team, class Shape>
template <int Round, int In, int... Out, class Warp>
DWELL_FN void workspace<P, T, Team, Shape>::multiply_in_registers(Warp& warp, int tiles) {
  const int tile = warp.number() + Round * Team::warp_count;
  if (tile < tiles)
    multiply_one<true, In, Out...>(warp, cache_.template tiles_in_registers<Round>(),
                                   part_.first_tile + tile);
}

/// All is in scratch: nothing to load ahead, no test where a tile is.
template <class P, class T, class Team, class Shape>
template <class Column, int In, int... Out>
DWELL_FN void workspace<P, T, Team, Shape>::walk_cached_tiles() {
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
      multiply_one<true, In, Out...>(warp, part, part_.first_tile + tile);
    }
  });
}

template <class P, class T, class Team, class Shape>
template <class Column, int In, int... Out>
DWELL_FN void workspace<P, T, Team, Shape>::walk_tiles_of() {
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
  dwell::walk_tiles<shape.ahead, T, Column>(
      team_, part_.first_tile, part_.last_tile, load,
      [&](auto& warp, auto& part, int tile) { multiply_one<false, In, Out...>(warp, part, tile); });
}

template <class P, class T, class Team, class Shape>
template <bool Resident, int In, int... Out, class Warp, class Parts>
DWELL_FN void workspace<P, T, Team, Shape>::multiply_one(Warp& warp, Parts& part, int tile) {
  constexpr int width = product_width<Out...>;
  const pack<width>* p;
  if constexpr (with_ghosts)
    p = reinterpret_cast<const pack<width>*>(cache_.home(In));
  else
    p = gathered<In, width>();
  const auto carry = [&] { return carry_place<Resident>(tile); };
  if constexpr (columns > 1)
    multiply_tile<Resident>(warp, part, p, packed_rows<T, width>{rows_of<Out...>()}, carry);
  else
    multiply_tile<Resident>(
        warp, part, p, separate_rows<T, width>{{(place<Resident, Out>() - part_.begin.row)...}},
        carry);
}

}  // namespace dwell
