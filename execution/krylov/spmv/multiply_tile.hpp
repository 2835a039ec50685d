// SPDX-License-Identifier: MIT
// One tile times a vector, by a warp: every lane sums its own run of nonzeros, and a segmented scan
// over the warp joins rows that lanes share. It knows no method and no workspace: where rows go and
// where the tile's carry does is the caller's.
#pragma once
#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/execution/krylov/spmv/nonzero_tiles.hpp"
#include "dwell/execution/krylov/spmv/value_pack.hpp"

namespace dwell {

/// Where the rows of a product of Width vectors go: row r to q[w] + r, of each vector apart.
template <class T, int Width>
struct separate_rows {
  static constexpr bool packed = false;
  static constexpr value_pack<T, Width>* rows = nullptr;
  T* q[Width];
};
/// Or to rows[r], a pack, which is written at once.
template <class T, int Width>
struct packed_rows {
  static constexpr bool packed = true;
  static constexpr T* q[Width] = {};
  value_pack<T, Width>* rows;
};

/// Rows that end in the tile go to `out`; what is left goes to carry(), Width values. p: the
/// vectors, by the columns of the tile. Resident: `out` and the carries are in scratch, where a
/// lane may as well read again what it wrote.
template <bool Resident, class T, int Width, template <class, int> class Rows, class Warp,
          class Parts, class Carry>
DWELL_FN void multiply_tile(Warp& warp, Parts& part, const value_pack<T, Width>* p,
                            const Rows<T, Width>& out, Carry&& carry_place) {
  constexpr bool packed = Rows<T, Width>::packed;
  using one = value_pack<T, Width>;
  const auto first_of = [&](const auto& mine) { return mine.header.first_row + (mine.path >> 8); };
  auto head = warp.template per_lane<one>();  // part of the first row that ends in the lane
  auto tail = warp.template per_lane<one>();  // what the lane leaves for a later one
  auto ended = warp.template per_lane<bool>();
  warp.each([&](int lane) {
    const auto& mine = part[lane];
    constexpr int at_once = tile_items / Width;  // gathers under way: registers are few
    one x[at_once];
    const int ends = mine.path & 0xff;
    index row = first_of(mine);
    T* y[Width];  // place of the row that ends next
    if constexpr (!packed) {
      DWELL_UNROLL
      for (int w = 0; w < Width; ++w) y[w] = out.q[w] + row;
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
      for (int w = 0; w < Width; ++w)
        acc.v[w] = multiply_add(mine.value(j), x[j % at_once].v[w], acc.v[w]);
      if constexpr (Resident) {
        if (end) {
          DWELL_UNROLL
          for (int w = 0; w < Width; ++w) {
            *y[w]++ = acc.v[w];
            acc.v[w] = T(0);
          }
        }
      } else {
        const bool earliest = (ends & ((1 << j) - 1)) == 0;
        if constexpr (packed)
          if (end) out.rows[row] = acc;
        DWELL_UNROLL
        for (int w = 0; w < Width; ++w) {
          if constexpr (!packed)
            if (end) out.q[w][row] = acc.v[w];
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
  T* const left_over = carry_place();
  DWELL_UNROLL
  for (int w = 0; w < Width; ++w) {
    auto left = warp.template per_lane<T>();    // what the lane leaves of component w,
    auto before = warp.template per_lane<T>();  // and what earlier lanes leave for it
    warp.each([&](int lane) { left[lane] = tail[lane].v[w]; });
    const T carry = warp.carries(left, ended, before);
    warp.each([&](int lane) {
      if constexpr (packed) {
        head[lane].v[w] += before[lane];
      } else {
        T* const y = out.q[w] + first_of(part[lane]);
        if (ended[lane]) *y = (Resident ? *y : head[lane].v[w]) + before[lane];
      }
      if (lane % tile_lanes == tile_lanes - 1) left_over[w] = carry;
    });
  }
  if constexpr (packed)
    warp.each([&](int lane) {
      if (ended[lane]) out.rows[first_of(part[lane])] = head[lane];
    });
}

}  // namespace dwell
