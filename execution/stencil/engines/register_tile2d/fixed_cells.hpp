// SPDX-License-Identifier: MIT
// The cells of a tile that keep their values under a fixed border, as members of
// register_tile2d_agent: they are put aside at the start and put back after every step.
#pragma once
#include "dwell/execution/stencil/engines/register_tile2d/agent.hpp"

namespace dwell {

template <class S, class T, class Team, int RY, bool Rest>
template <class F>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::each_fixed_in_scratch(int l, F&& f) {
  const int first = top(*own_, l) + RY, y0 = a_.inner.y0, y1 = a_.inner.y1;
  for (int k = 0; k < y0 + a_.size.y - y1; ++k) {
    const int q = (k < y0 ? k : y1 + k - y0) - first;
    if (q < 0 || q >= rest_count() || !rest_.caches(q)) continue;
    T* saved = fixed_rows_ + k * width + l % 32;
    for (int i = 0; i < RX; ++i) f(*rest_.cached_value(l, q, i), saved[i * 32]);
  }
  for (int i = 0; i < RX; ++i) {
    const int k = fixed_column(left(*own_, l) + i);
    T* saved = fixed_cached_ + (warp(l) * 2 * R + k) * a_.plan.scratch_rows - rest_.cached_begin();
    if (k >= 0)
      for (int q = rest_.cached_begin(); q < rest_.cached_end(); ++q)
        f(*rest_.cached_value(l, q, i), saved[q]);
  }
}

template <class S, class T, class Team, int RY, bool Rest>
template <class F>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::each_fixed_row(int l, F&& f) {
  const int y = team_.opaque(top(*own_, l)), y0 = a_.inner.y0, y1 = a_.inner.y1;
  const std::uint32_t fixed =
      (bits_between(-y, y0 - y) | bits_between(y1 - y, a_.size.y - y)) & bits_between(0, RY);
  if (fixed == 0) return;
  DWELL_UNROLL
  for (int j = 0; j < RY; ++j)
    if (fixed >> j & 1) {
      T* saved = fixed_rows_ + (y + j < y0 ? y + j : y0 + y + j - y1) * width + l % 32;
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) f(r_[l].v[j].v[i], saved[i * 32]);
    }
}

template <class S, class T, class Team, int RY, bool Rest>
template <class F>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::each_fixed_column(int l, F&& f) {
  const int x = team_.opaque(left(*own_, l));
  DWELL_UNROLL
  for (int i = 0; i < RX; ++i) {
    const int k = fixed_column(x + i);
    if (k < 0) continue;
    T* saved = fixed_columns_ + warp(l) * RY * 2 * R + k;
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j) f(r_[l].v[j].v[i], saved[j * 2 * R]);
  }
}

template <class S, class T, class Team, int RY, bool Rest>
DWELL_FN typename register_tile2d_agent<S, T, Team, RY, Rest>::flush_columns
register_tile2d_agent<S, T, Team, RY, Rest>::flush_lane(int l) const {
  const int lane = l % 32, first = lane * RX, side = lane < 16 ? 1 : 2;
  flush_columns fixed{0, warp(l) * RY * 2 * R + first + (side == 1 ? 0 : 2 * R - width)};
  DWELL_UNROLL
  for (int i = 0; i < RX; ++i) {
    const bool last = side == 1 ? first + i < R : first + i >= width - R;
    fixed.which |= static_cast<unsigned>((fixed_ & side) != 0 && last) << i;
  }
  return fixed;
}

template <class S, class T, class Team, int RY, bool Rest>
template <class F>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::each_flush_cell(
    int l, const flush_columns& fixed, F&& f) {
  constexpr int rows = RY > R ? RY : R;  // no fewer than R, see above
  // Without a branch: it would cost more than loads which no lane makes, and registers of the rows.
  DWELL_UNROLL
  for (int j = 0; j < RY; ++j) {
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i)
      if ((i < R || i >= RX - R) && fixed.which >> i & 1u)
        f(r_[l].v[j].v[i], fixed_columns_[fixed.at + j * 2 * R + i]);
  }
  const bool above = (fixed_ & 4) != 0 && warp(l) == 0;
  const bool below = (fixed_ & 8) != 0 && warp(l) == W - 1;
  T* saved = fixed_rows_ + l % 32;
  DWELL_UNROLL
  for (int k = 0; k < R * RX; ++k) {
    const int j = k / RX, i = k % RX;
    if (above) f(r_[l].v[j].v[i], saved[j * width + i * 32]);
    if (below) f(r_[l].v[rows - R + j].v[i], saved[(R + j) * width + i * 32]);
  }
}

}  // namespace dwell
