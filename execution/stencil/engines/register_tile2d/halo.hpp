// SPDX-License-Identifier: MIT
// The frames of cells that tiles in registers exchange: of a box of cells, all at most `halo` from
// one of its sides. The inner frame holds the cells of a team that others take, the outer one the
// cells that it takes from others. Between registers and the field they pass through a copy of the
// tile in scratch. Lanes put rows of theirs there and get them; between scratch and the field all
// lanes go side by side through rows and columns, so that lines are whole and all loads are under
// way together.
#pragma once
#include <cstdint>

#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/cell/register_tile.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/sizes.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/subdomain.hpp"

namespace dwell {

template <class S, class T>
class tile_frame {
 public:
  static constexpr int RX = perks_across<S>, width = 32 * RX, wide = cell_piece<T>::size;
  using row = lane_layer<T, RX>;
  using subdomain = tile_subdomain<S, T, RX>;

  /// Frame of a tile of so many rows.
  DWELL_FN static tile_frame inner(const subdomain& o, int rows) {
    return {
        o.halo, rows, o.y0 - o.top, o.y1 - o.halo - o.top, o.x0 - o.left, o.x1 - o.halo - o.left};
  }
  DWELL_FN static tile_frame outer(const subdomain& o, int rows) {
    return {o.halo,       rows, o.y0 - o.halo - o.top, o.y1 - o.top, o.x0 - o.halo - o.left,
            o.x1 - o.left};
  }

  /// The frame has columns of a lane, in all of its rows.
  DWELL_FN bool has_columns(int lane) const {
    return meets(lane * RX, RX, left_) || meets(lane * RX, RX, right_);
  }
  /// A bit for each row of the tile from row j on that the frame has, in all of its columns.
  DWELL_FN std::uint32_t rows_from(int j) const {
    return bits_between(top_ - j, top_ + halo_ - j) |
           bits_between(bottom_ - j, bottom_ + halo_ - j);
  }

  // The frame's cells in the tile, dealt to the lanes of the team, one lane for each to copy it. A
  // multiprocessor with eight warps waits for every computation of an address: as many as possible
  // are made once.

  /// f(j, place of the lane's column in row j of `copy`, whether the frame has it and the columns
  /// 32, 64 ... on) for rows of the bands; the lane's column is l % 32.
  template <class F>
  DWELL_FN void each_band_row(T* copy, int l, F&& f) const {
    const int lane = l % 32, columns = right_ + halo_;
    bool has[RX];
    DWELL_UNROLL
    for (int m = 0; m < RX; ++m) has[m] = lane + 32 * m >= left_ && lane + 32 * m < columns;
    for (int k = l / 32; k < 2 * halo_; k += perks_warps) {
      const int j = k < halo_ ? top_ + k : bottom_ + k - halo_;
      // A box may be lower than its bands, and reach beyond the tile at a fixed border.
      if (j >= 0 && j < rows_ && j < bottom_ + halo_ && (k < halo_ || j >= top_ + halo_))
        f(j, cell(copy, j, lane), has);
    }
  }
  /// f(first, last, step, c, place of cell (first, c) in `copy`) for rows first, first + step ...
  /// before `last` of column c: of the columns at the sides, in the rows between the bands.
  template <class F>
  DWELL_FN void each_side_column(T* copy, int l, F&& f) const {
    int shift = 2;
    while (shift < 5 && 1 << shift < 2 * halo_) ++shift;
    const int first = top_ + halo_ + (l >> shift);
    for (int i = l & ((1 << shift) - 1); i < 2 * halo_; i += 1 << shift) {
      const int c = i < halo_ ? left_ + i : right_ + i - halo_;
      const bool twice = i >= halo_ && c < left_ + halo_;  // a box narrower than its bands
      if (c >= 0 && c < width && c < right_ + halo_ && !twice)
        f(first, bottom_, perks_lanes >> shift, c, cell(copy, first, c));
    }
  }
  /// From the place of a lane's column to that of the one 32 * m on.
  static constexpr int column_step = 32 / RX * wide;

  // In a copy of the tile: cell (j, c), and the cells of lane `lane` in row j.
  DWELL_FN static T* cell(T* copy, int j, int c) {
    const int i = c % RX;
    return copy + j * width + i / wide * wide * 32 + c / RX * wide + i % wide;
  }
  DWELL_FN static void put(T* copy, int j, int lane, const row& v) {
    DWELL_UNROLL
    for (int i = 0; i < RX; i += wide) put_piece(copy + j * width + i * 32 + lane * wide, v, i);
  }
  DWELL_FN static void get(row& v, const T* copy, int j, int lane) {
    DWELL_UNROLL
    for (int i = 0; i < RX; i += wide) get_piece(v, i, copy + j * width + i * 32 + lane * wide);
  }

 private:
  DWELL_FN tile_frame(int halo, int rows, int top, int bottom, int left, int right)
      : halo_(halo), rows_(rows), top_(top), bottom_(bottom), left_(left), right_(right) {}
  DWELL_FN bool meets(int first, int n, int band) const {
    return first < band + halo_ && first + n > band;
  }

  int halo_, rows_;  ///< sizes of the tile
  /// Where the bands begin in it: upper, lower, at the left and at the right.
  int top_, bottom_, left_, right_;
};

}  // namespace dwell
