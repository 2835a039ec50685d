// SPDX-License-Identifier: MIT
// The cells that a lane reads while its team goes down (or up) the rows of a tile: rows j - R to
// j + R of its columns, and R columns to either side, which come from the next lane or two. A star
// needs neighbours in x of the middle row only. In an unrolled loop, moving the window down is a
// renaming of registers.
#pragma once
#include "dwell/execution/stencil/cell/cached_layers.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

template <class S, class T, int Across>
struct row_window {
  static constexpr int R = radius_of<S>;
  static constexpr int sides = is_star<S> ? 1 : 2 * R + 1;  ///< rows whose neighbours in x count
  static_assert(2 * Across >= R);

  using row = lane_layer<T, Across>;
  T here[2 * R + 1][Across], left[sides][R], right[sides][R];

  /// The neighbours of cell i of the middle row. Up: the window goes up, its last row is the
  /// highest.
  template <bool Up>
  struct near {
    const row_window& w;
    int i;
    DWELL_FN T operator()(int below, int dx) const {
      const int dy = Up ? -below : below;
      const int side = sides == 1 ? 0 : dy + R;
      if (i + dx < 0) return w.left[side][i + dx < 0 ? i + dx + R : 0];
      if (i + dx >= Across) return w.right[side][i + dx >= Across ? i + dx - Across : 0];
      return w.here[dy + R][i + dx];
    }
    DWELL_FN T operator()(int, int dy, int dx) const { return (*this)(dy, dx); }
  };

  /// All windows of a team go down by one row; get(lane) is the row that comes in.
  template <class Team, class Windows, class Get>
  DWELL_FN static void push(Team& team, Windows&& all, Get&& get) {
    team.each([&](int l) {
      row_window& w = all[l];
      DWELL_UNROLL
      for (int k = 0; k < 2 * R; ++k) {
        DWELL_UNROLL
        for (int i = 0; i < Across; ++i) w.here[k][i] = w.here[k + 1][i];
      }
      const row v = get(l);
      DWELL_UNROLL
      for (int i = 0; i < Across; ++i) w.here[2 * R][i] = v.v[i];
      if constexpr (sides > 1) {
        DWELL_UNROLL
        for (int k = 0; k + 1 < sides; ++k) {
          DWELL_UNROLL
          for (int d = 0; d < R; ++d) {
            w.left[k][d] = w.left[k + 1][d];
            w.right[k][d] = w.right[k + 1][d];
          }
        }
      }
    });
    constexpr int at = sides == 1 ? R : 2 * R;
    DWELL_UNROLL
    for (int d = 0; d < R;
         ++d) {  // columns R - d to the left of a lane's first, d right of its last
      const int back = (R - d + Across - 1) / Across, on = d / Across + 1;
      auto left = team.template from_left<T>(
          [&](int l) { return all[l].here[at][back * Across - (R - d)]; }, back);
      auto right =
          team.template from_right<T>([&](int l) { return all[l].here[at][d % Across]; }, on);
      team.each([&](int l) {
        all[l].left[sides - 1][d] = left[l];
        all[l].right[sides - 1][d] = right[l];
      });
    }
  }
};

}  // namespace dwell
