// SPDX-License-Identifier: MIT
// SpMV as a member of store: two texts for one cut of the matrix. By tiles (tiles.hpp), a warp at a
// time: every lane sums its own run of nonzeros, a segmented scan over the warp joins rows that lanes
// share, and carries join rows that tiles share. By rows: one lane walks the team's whole part of the
// merge path; made for CPUs.
#pragma once
#include "dwell/execution/core/store.hpp"

namespace dwell {

/// The sum of val[k] * p[col[k]] over [k, end): four partial sums in turn, since one chain of
/// additions would wait for itself.
template <class T>
DWELL_FN T row_sum(const T* val, const index* col, const T* p, index k, index end) {
  T s0 = T(0), s1 = T(0), s2 = T(0), s3 = T(0);
  for (; k + 4 <= end; k += 4) {
    s0 = std::fma(val[k], p[col[k]], s0);
    s1 = std::fma(val[k + 1], p[col[k + 1]], s1);
    s2 = std::fma(val[k + 2], p[col[k + 2]], s2);
    s3 = std::fma(val[k + 3], p[col[k + 3]], s3);
  }
  for (; k < end; ++k) s0 = std::fma(val[k], p[col[k]], s0);
  return (s0 + s1) + (s2 + s3);
}

template <class P, class T, class Team, class Shape>
template <int In, int Out, int Sum>
DWELL_FN void store<P, T, Team, Shape>::spmv_rows() {
  auto dot = team_.template per_lane<sums<1>>();
  team_.each([&](int lane) { dot[lane].v[0] = 0.0; });
  team_.once([&] {
    const auto& m = a_.matrix;
    const T* p = a_.vectors[In];
    T* q = a_.vectors[Out];
    double sum = 0.0;
    index k = share_.begin.nonzero;
    for (index row = share_.begin.row; row < share_.end.row; ++row) {
      const index stop = m.row_ptr[row + 1];
      const T y = row_sum(m.val, m.col, p, k, stop);
      q[row] = y;
      sum += static_cast<double>(y) * static_cast<double>(p[row]);
      k = stop;
    }
    T carry = T(0);
    if (k < share_.end.nonzero) {
      carry = row_sum(m.val, m.col, p, k, share_.end.nonzero);
      sum += static_cast<double>(carry) * static_cast<double>(p[share_.end.row]);
    }
    a_.carry[team_.worker()] = carry;
    dot[0].v[0] = sum;
  });
  give<Sum>(dot);
}

/// A lane's part of a tile, as loaded.
template <class T, class Column>
struct tile_part {
  static constexpr int value_pieces = tile_items * static_cast<int>(sizeof(T)) / 16;
  static constexpr int column_pieces = tile_items * static_cast<int>(sizeof(Column)) / 16;
  struct alignas(16) values {
    T v[16 / sizeof(T)];
  };
  struct alignas(16) columns {
    Column v[16 / sizeof(Column)];
  };
  values val[value_pieces];
  columns col[column_pieces];
  tile_header header;
  std::uint16_t path;

  /// From memory where a load is worth a hint (global), or not (scratch).
  template <class Team, bool Stream>
  DWELL_FN void load(const tiles_view<T>& m, const Column* cols, int tile, int lane) {
    const int l = lane % tile_lanes;
    const auto* v = reinterpret_cast<const values*>(m.val + static_cast<std::size_t>(tile) * tile_size) + l;
    const auto* c = reinterpret_cast<const columns*>(cols + static_cast<std::size_t>(tile) * tile_size) + l;
    DWELL_UNROLL
    for (int i = 0; i < column_pieces; ++i) col[i] = Stream ? Team::stream(c + i * tile_lanes) : c[i * tile_lanes];
    DWELL_UNROLL
    for (int i = 0; i < value_pieces; ++i) val[i] = Stream ? Team::stream(v + i * tile_lanes) : v[i * tile_lanes];
    path = m.path[static_cast<std::size_t>(tile) * tile_lanes + l];
    header = m.header[tile];
  }
  DWELL_FN T value(int j) const { return val[j / (16 / sizeof(T))].v[j % (16 / sizeof(T))]; }
  DWELL_FN index column(int j) const {
    const auto c = col[j / (16 / sizeof(Column))].v[j % (16 / sizeof(Column))];
    if constexpr (sizeof(Column) == 2)
      return header.column + static_cast<index>(c);
    else
      return c;
  }
};

template <class P, class T, class Team, class Shape>
template <int In, int Out, int Sum>
DWELL_FN void store<P, T, Team, Shape>::spmv_tiles() {
  auto dot = team_.template per_lane<sums<1>>();
  team_.each([&](int lane) { dot[lane].v[0] = 0.0; });
  if (a_.tiles.narrow)
    walk_tiles<In, Out, std::uint16_t>(dot);
  else
    walk_tiles<In, Out, index>(dot);
  give<Sum>(dot);
  // The lanes have met since the last tile. Rows that tiles of this team share, and the row left open.
  team_.each([&](int lane) {
    for (int tile = share_.first_tile + lane; tile < share_.last_tile; tile += Team::lanes()) {
      const tile_header h = a_.tiles.header[tile];
      if (h.carry_from == tile) continue;
      T missing = T(0);
      for (int t = h.carry_from; t < tile; ++t) missing += a_.tile_carry[t];
      *at<Out>(h.first_row - share_.begin.row) += missing;
    }
    if (lane == 0) {
      T open = T(0);
      for (int t = share_.open_from; t < share_.last_tile; ++t) open += a_.tile_carry[t];
      a_.carry[team_.worker()] = open;
    }
  });
}

template <class P, class T, class Team, class Shape>
template <int In, int Out, class Column, class Dot>
DWELL_FN void store<P, T, Team, Shape>::walk_tiles(Dot& dot) {
  const Column* cols;
  if constexpr (sizeof(Column) == 2)
    cols = a_.tiles.narrow;
  else
    cols = a_.tiles.wide;
  team_.warps([&](auto& warp) {
    int tile = share_.first_tile + warp.number();
    if constexpr (shape.keeps) {
      const Column* kept;
      if constexpr (sizeof(Column) == 2)
        kept = keep_.view().narrow;
      else
        kept = keep_.view().wide;
      const int stop = share_.first_tile + keep_.tiles();
      for (; tile < stop; tile += Team::warp_count) {
        auto part = warp.template per_lane<tile_part<T, Column>>();
        warp.each([&](int lane) {
          part[lane].template load<Team, false>(keep_.view(), kept, tile - share_.first_tile, lane);
        });
        multiply<In, Out>(warp, part, tile, dot);
      }
    }
    if constexpr (shape.ahead) {
      auto next = warp.template per_lane<tile_part<T, Column>>();
      if (tile < share_.last_tile)
        warp.each([&](int lane) { next[lane].template load<Team, true>(a_.tiles, cols, tile, lane); });
      for (; tile < share_.last_tile; tile += Team::warp_count) {
        auto part = next;
        if (tile + Team::warp_count < share_.last_tile)
          warp.each([&](int lane) {
            next[lane].template load<Team, true>(a_.tiles, cols, tile + Team::warp_count, lane);
          });
        multiply<In, Out>(warp, part, tile, dot);
      }
    } else {
      for (; tile < share_.last_tile; tile += Team::warp_count) {
        auto part = warp.template per_lane<tile_part<T, Column>>();
        warp.each([&](int lane) { part[lane].template load<Team, true>(a_.tiles, cols, tile, lane); });
        multiply<In, Out>(warp, part, tile, dot);
      }
    }
  });
}

/// One tile: rows that end in it go to Out, what is left to the tile's carry.
template <class P, class T, class Team, class Shape>
template <int In, int Out, class Warp, class Parts, class Dot>
DWELL_FN void store<P, T, Team, Shape>::multiply(Warp& warp, Parts& part, int tile, Dot& dot) {
  const T* p = a_.vectors[In];
  auto head = warp.template per_lane<T>();    // of the first row that ends in the lane: its part
  auto tail = warp.template per_lane<T>();    // what the lane leaves for a later one
  auto before = warp.template per_lane<T>();  // what earlier lanes leave for this one
  auto ended = warp.template per_lane<bool>();
  warp.each([&](int lane) {
    const auto& mine = part[lane];
    T x[tile_items];
    DWELL_UNROLL
    for (int j = 0; j < tile_items; ++j) x[j] = p[mine.column(j)];
    index row = mine.header.first_row + (mine.path >> 8);
    T acc = T(0);
    bool any = false;
    head[lane] = T(0);
    DWELL_UNROLL
    for (int j = 0; j < tile_items; ++j) {
      acc = std::fma(mine.value(j), x[j], acc);
      if (mine.path >> j & 1) {
        if (any) {
          *at<Out>(row - share_.begin.row) = acc;
          dot[lane].v[0] += static_cast<double>(acc) * static_cast<double>(p[row]);
        } else {
          head[lane] = acc;
        }
        any = true;
        acc = T(0);
        ++row;
      }
    }
    ended[lane] = any;
    tail[lane] = acc;
  });
  const T carry = warp.carries(tail, ended, before);
  warp.each([&](int lane) {
    const auto& mine = part[lane];
    if (ended[lane]) {
      const index row = mine.header.first_row + (mine.path >> 8);
      const T y = head[lane] + before[lane];
      *at<Out>(row - share_.begin.row) = y;
      dot[lane].v[0] += static_cast<double>(y) * static_cast<double>(p[row]);
    }
    if (lane % tile_lanes == 0) {
      a_.tile_carry[tile] = carry;
      if (mine.header.open_row < a_.matrix.rows)
        dot[lane].v[0] += static_cast<double>(carry) * static_cast<double>(p[mine.header.open_row]);
    }
  });
}

}  // namespace dwell
