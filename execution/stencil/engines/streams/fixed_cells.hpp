// SPDX-License-Identifier: MIT
// Cells of a fixed border in a stream keep their values in all time steps. Their values, as they
// come in, are remembered in scratch, for as many layers as time steps need, and put back after the
// stencil, so that sums need no test. Whole layers of the border come back from the field, where
// both copies hold them (restore() of stream_rows and stream_planes).
#pragma once
#include <bit>

#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/cell/register_tile.hpp"

namespace dwell {

/// Cells of a lane in a stream that keep their values.
struct lane_fixed_cells {
  static constexpr int never = 1 << 30;  ///< a layer that no pass has

  unsigned fixed;   ///< a bit for each that does so in every layer,
  int first, last;  ///< and so do all in layers of the pass before `first` and from `last` on

  /// Cells of lane l in the subdomain `own` (stream_subdomain).
  template <class S, class T, class Subdomain>
  DWELL_FN static lane_fixed_cells of(const stencil_args<T>& a, const Subdomain& own, int l) {
    using tile = stream_tile<S, T>;
    const int left = own.left(l), top = own.top(l), before = own.first - own.halo;
    lane_fixed_cells h{0, -never, never};
    if (a.edge != boundary::fixed) return h;
    DWELL_UNROLL
    for (int c = 0; c < tile::cells; ++c) {
      const int x = left + c % tile::across, y = top + c / tile::across;
      const bool inside = x >= a.inner.x0 && x < a.inner.x1 &&
                          (!Subdomain::solid || (y >= a.inner.y0 && y < a.inner.y1));
      h.fixed |= static_cast<unsigned>(!inside) << c;
    }
    h.first = Subdomain::inner_first(a) - before;
    h.last = Subdomain::inner_last(a) - before;
    return h;
  }
};

/// Columns of the border in two dimensions: those lanes of every warp that hold some remember them.
template <class S, class T, int Depth, int Warps>
class fixed_columns {
  static constexpr int R = radius_of<S>, across = stream_tile<S, T>::across;
  static constexpr int lanes = (R + across - 1) / across;  ///< lanes of a warp, at either side
  static constexpr int rows = static_cast<int>(std::bit_ceil(Depth * R + 1u));
  /// Where lanes that hold none read when all lanes do: the last cells of a row, never written.
  static constexpr int nobodys = Warps * 2 * lanes * across, row_values = nobodys + across;

 public:
  static constexpr int values = rows * row_values;  ///< values in scratch
  using row = lane_layer<T, stream_tile<S, T>::across>;
  struct cells {
    unsigned fixed;  ///< a bit for each of a lane's columns that belongs to the border
    int at;          ///< where it remembers them
  };
  /// Cells of a lane whose columns begin at column `left` of the grid.
  DWELL_FN static cells of(const stencil_args<T>& a, int lane, int left) {
    cells me{0, nobodys};
    const int right = a.size.x - left - across;
    if (a.edge != boundary::fixed || left < 0 || right < 0) return me;
    const int begin = lane / 32 * 2 * lanes;
    if (left < R) me.at = (begin + left / across) * across;
    if (right < R) me.at = (begin + lanes + right / across) * across;
    for (int k = 0; k < across; ++k)
      me.fixed |= static_cast<unsigned>(left + k < R || right + across - k <= R) << k;
    return me;
  }
  /// Row j as it came in: time steps ask for it until Depth * R rows later.
  DWELL_FN static void remember(T* scratch, const cells& me, int j, const row& v) {
    T* p = scratch + at(me, j);
    DWELL_UNROLL
    for (int k = 0; k < across; k += cell_piece<T>::size)
      if (me.fixed != 0) put_piece(p + k, v, k);
  }
  DWELL_FN static void restore(const T* scratch, const cells& me, int j, row& v) {
    const T* p = scratch + at(me, j);
    if constexpr (R < across) {  // loads that depend on nothing: they are over when the sums are
      row old;
      DWELL_UNROLL
      for (int k = 0; k < across; k += cell_piece<T>::size) get_piece(old, k, p + k);
      DWELL_UNROLL
      for (int k = 0; k < across; ++k)
        if (k < R || k >= across - R) v.v[k] = me.fixed >> k & 1u ? old.v[k] : v.v[k];
    } else {  // sums take the registers
      DWELL_UNROLL
      for (int k = 0; k < across; ++k)
        if (me.fixed >> k & 1u) v.v[k] = p[k];
    }
  }

 private:
  DWELL_FN static int at(const cells& me, int j) { return (j & (rows - 1)) * row_values + me.at; }
};

/// Columns and rows of the border in three dimensions: the tiles of the lanes at either
/// side of every warp, and R rows of the team at the top and R at the bottom.
template <class S, class T, int Depth, int Warps>
class fixed_sides {
  using tile = stream_tile<S, T>;
  static constexpr int R = radius_of<S>;
  static constexpr int planes = static_cast<int>(std::bit_ceil((Depth - 1u) * (R + 1) + R + 1));
  static constexpr int line = 32 * tile::across;
  static constexpr int sides = Warps * 2 * tile::cells, plane = sides + 2 * R * line;
  static_assert(S::dims != 3 || R <= tile::across, "one lane holds the cells beside a border");

 public:
  static constexpr int values = planes * plane;  ///< values in scratch
  using layer = lane_layer<T, tile::cells>;
  struct cells {
    unsigned fixed;  ///< a bit for each of a lane's rows that belongs to the border; from bit 16,
                     ///< for each column
    int side, line;  ///< where it remembers cells of such columns, and where row 0 would be
  };
  /// Cells of a lane whose tile begins at (left, top) of a plane.
  DWELL_FN static cells of(const stencil_args<T>& a, int lane, int left, int top) {
    cells me{0, 0, 0};
    for (int i = 0; i < tile::across; ++i)
      me.fixed |= static_cast<unsigned>(stands(a.edge, left + i, a.size.x)) << (16 + i);
    for (int k = 0; k < tile::down; ++k)
      me.fixed |= static_cast<unsigned>(stands(a.edge, top + k, a.size.y)) << k;
    me.side = (lane / 32 * 2 + (left < R ? 0 : 1)) * tile::cells;
    const int row = top < R ? top : top - (a.size.y - R) + R;
    me.line = sides + row * line + lane % 32 * tile::across;
    return me;
  }
  /// Plane j as it came in.
  DWELL_FN static void remember(T* scratch, const cells& me, int j, const layer& v) {
    T* p = scratch + begin(j);
    DWELL_UNROLL
    for (int k = 0; k < tile::down; ++k) {
      if (me.fixed >> 16) put_piece(p + (me.side + k * tile::across), v, k * tile::across);
      if (me.fixed >> k & 1u) put_piece(p + (me.line + k * line), v, k * tile::across);
    }
  }
  DWELL_FN static void restore(const T* scratch, const cells& me, int j, layer& v) {
    const T* p = scratch + begin(j);
    DWELL_UNROLL
    for (int k = 0; k < tile::down; ++k) {
      DWELL_UNROLL
      for (int i = 0; i < tile::across; ++i) {
        const int c = k * tile::across + i;
        if (me.fixed >> (16 + i) & 1u) v.v[c] = p[me.side + c];
      }
      if (me.fixed >> k & 1u) get_piece(v, k * tile::across, p + (me.line + k * line));
    }
  }

 private:
  DWELL_FN static bool stands(boundary edge, int i, int n) {
    return edge == boundary::fixed && within(i, n) && (i < R || i >= n - R);
  }
  DWELL_FN static int begin(int j) { return (j & (planes - 1)) * plane; }
};

}  // namespace dwell
