// SPDX-License-Identifier: MIT
// Cells of a fixed border in a wave keep their values in all levels. What comes in of them is
// remembered in scratch, of as many layers as levels ask for, and put back after the stencil, so
// that no sum asks for it. Whole layers of the border come back from the field, where both copies
// hold them (restore() of wave_rows and wave_planes).
#pragma once
#include <bit>

#include "dwell/execution/core/ranges.hpp"
#include "dwell/execution/core/sweep_args.hpp"
#include "dwell/execution/perks/wave_patch.hpp"

namespace dwell {

/// Cells of a lane in a wave that keep their values.
struct wave_habits {
  unsigned fixed;   ///< a bit for each that does so in every layer,
  int first, last;  ///< and so do all in layers of the pass before `first` and from `last` on
};

/// Columns of the border in two dimensions: those lanes of every warp that hold some remember them.
template <class S, class T, int Levels, int Warps>
class wave_border_rows {
  static constexpr int R = radius_of<S>, across = wave_patch<S, T>::across;
  static constexpr int lanes = (R + across - 1) / across;  ///< of a warp, at either side
  static constexpr int rows = static_cast<int>(std::bit_ceil(Levels * R + 1u));
  /// Lanes that hold none read, where all do, what nobody writes: the last cells of a row.
  static constexpr int nobodys = Warps * 2 * lanes * across, row_values = nobodys + across;

 public:
  static constexpr int values = rows * row_values;  ///< of scratch
  using row = lane_layer<T, wave_patch<S, T>::across>;
  struct cells {
    unsigned still;  ///< a bit for each of a lane's columns that belongs to the border
    int at;          ///< where it remembers them
  };
  /// Of a lane whose columns begin at column `left` of the grid.
  DWELL_FN static cells of(const sweep_args<T>& a, int lane, int left) {
    cells me{0, nobodys};
    const int right = a.size.x - left - across;
    if (a.edge != boundary::fixed || left < 0 || right < 0) return me;
    const int begin = lane / 32 * 2 * lanes;
    if (left < R) me.at = (begin + left / across) * across;
    if (right < R) me.at = (begin + lanes + right / across) * across;
    for (int k = 0; k < across; ++k)
      me.still |= static_cast<unsigned>(left + k < R || right + across - k <= R) << k;
    return me;
  }
  /// Row j as it came in: levels ask for it until Levels * R rows later.
  DWELL_FN static void remember(T* scratch, const cells& me, int j, const row& v) {
    T* p = scratch + at(me, j);
    DWELL_UNROLL
    for (int k = 0; k < across; k += cell_piece<T>::size)
      if (me.still != 0) put_piece(p + k, v, k);
  }
  DWELL_FN static void restore(const T* scratch, const cells& me, int j, row& v) {
    const T* p = scratch + at(me, j);
    if constexpr (R < across) {  // loads that depend on nothing: they are over when the sums are
      row old;
      DWELL_UNROLL
      for (int k = 0; k < across; k += cell_piece<T>::size) get_piece(old, k, p + k);
      DWELL_UNROLL
      for (int k = 0; k < across; ++k)
        if (k < R || k >= across - R) v.v[k] = me.still >> k & 1u ? old.v[k] : v.v[k];
    } else {  // sums take the registers
      DWELL_UNROLL
      for (int k = 0; k < across; ++k)
        if (me.still >> k & 1u) v.v[k] = p[k];
    }
  }

 private:
  DWELL_FN static int at(const cells& me, int j) { return (j & (rows - 1)) * row_values + me.at; }
};

/// Columns and rows of the border in three dimensions: the patches of the lanes at either side of
/// every warp, and R rows of the team at the top and R at the bottom.
template <class S, class T, int Levels, int Warps>
class wave_border_planes {
  using patch = wave_patch<S, T>;
  static constexpr int R = radius_of<S>;
  static constexpr int planes = static_cast<int>(std::bit_ceil((Levels - 1u) * (R + 1) + R + 1));
  static constexpr int line = 32 * patch::across;
  static constexpr int sides = Warps * 2 * patch::cells, plane = sides + 2 * R * line;
  static_assert(S::dims != 3 || R <= patch::across, "one lane holds what lies beside a border");

 public:
  static constexpr int values = planes * plane;  ///< of scratch
  using layer = lane_layer<T, patch::cells>;
  struct cells {
    unsigned still;  ///< a bit for each of a lane's rows that belongs to the border; from bit 16,
                     ///< for each column
    int side, line;  ///< where it remembers cells of such columns, and where row 0 would be
  };
  /// Of a lane whose patch begins at (left, top) of a plane.
  DWELL_FN static cells of(const sweep_args<T>& a, int lane, int left, int top) {
    cells me{0, 0, 0};
    for (int i = 0; i < patch::across; ++i)
      me.still |= static_cast<unsigned>(stands(a.edge, left + i, a.size.x)) << (16 + i);
    for (int k = 0; k < patch::down; ++k)
      me.still |= static_cast<unsigned>(stands(a.edge, top + k, a.size.y)) << k;
    me.side = (lane / 32 * 2 + (left < R ? 0 : 1)) * patch::cells;
    const int row = top < R ? top : top - (a.size.y - R) + R;
    me.line = sides + row * line + lane % 32 * patch::across;
    return me;
  }
  /// Plane j as it came in.
  DWELL_FN static void remember(T* scratch, const cells& me, int j, const layer& v) {
    T* p = scratch + begin(j);
    DWELL_UNROLL
    for (int k = 0; k < patch::down; ++k) {
      if (me.still >> 16) put_piece(p + (me.side + k * patch::across), v, k * patch::across);
      if (me.still >> k & 1u) put_piece(p + (me.line + k * line), v, k * patch::across);
    }
  }
  DWELL_FN static void restore(const T* scratch, const cells& me, int j, layer& v) {
    const T* p = scratch + begin(j);
    DWELL_UNROLL
    for (int k = 0; k < patch::down; ++k) {
      DWELL_UNROLL
      for (int i = 0; i < patch::across; ++i) {
        const int c = k * patch::across + i;
        if (me.still >> (16 + i) & 1u) v.v[c] = p[me.side + c];
      }
      if (me.still >> k & 1u) get_piece(v, k * patch::across, p + (me.line + k * line));
    }
  }

 private:
  DWELL_FN static bool stands(boundary edge, int i, int n) {
    return edge == boundary::fixed && within(i, n) && (i < R || i >= n - R);
  }
  DWELL_FN static int begin(int j) { return (j & (planes - 1)) * plane; }
};

}  // namespace dwell
