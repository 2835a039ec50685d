// SPDX-License-Identifier: MIT
// The rows that the warps of a team publish to each other in scratch before a step: the first (side
// 0) and last (side 1) R rows of every warp's strip. A lane reads rows of the warps above and
// below, in its own columns.
#pragma once
#include "dwell/execution/stencil/cell/row_window.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/sizes.hpp"

namespace dwell {

template <class S, class T>
class warp_edges {
 public:
  static constexpr int R = radius_of<S>, RX = perks_across<S>;
  using row = typename row_window<S, T, RX>::row;

  DWELL_FN explicit warp_edges(T* rows) : rows_(rows) {}

  DWELL_FN void publish(int l, int side, int d, const row& v) {
    T* p = place(l, l / 32, side, d);
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) p[i * 32] = v.v[i];
  }
  /// Row d above the strip of the lane's warp is the last but R - d of the warp above. Beyond the
  /// tile nothing is ever used.
  DWELL_FN row above(int l, int d) const { return at(place(l, l >= 32 ? l / 32 - 1 : 0, 1, d)); }
  DWELL_FN row below(int l, int d) const {
    return at(place(l, l / 32 < perks_warps - 1 ? l / 32 + 1 : perks_warps - 1, 0, d));
  }

 private:
  DWELL_FN T* place(int l, int warp, int side, int d) const {
    return rows_ + ((warp * 2 + side) * R + d) * 32 * RX + l % 32;
  }
  DWELL_FN static row at(const T* p) {
    row v;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[i] = p[i * 32];
    return v;
  }
  T* rows_;
};

}  // namespace dwell
