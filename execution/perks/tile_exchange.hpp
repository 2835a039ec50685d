// SPDX-License-Identifier: MIT
// How tiles in two dimensions exchange their rims, as members of perks_tile.
#pragma once
#include "dwell/execution/perks/perks_tile.hpp"

namespace dwell {

template <class S, class T, class Team, int RY, bool Rest>
DWELL_FN void perks_tile<S, T, Team, RY, Rest>::take_if(const T* field, bool whole) {
  team_.each([&](int l) {
    const share o = *own_;
    const columns c = columns_of(l);
    const int x = left(o, l), y = top(o, l);
    const bool all = whole || x < o.x0 || x + RX > o.x1;
    const std::ptrdiff_t* rows = rows_ + warp(l) * RY;
    if (all && c.in_line()) {
      const T* p = field + c.at[0];
      DWELL_UNROLL
      for (int j = 0; j < RY; ++j) r_[l].v[j] = row_in_line(p + rows[j]);
    } else if (all) {
      DWELL_UNROLL
      for (int j = 0; j < RY; ++j) r_[l].v[j] = row_at(field + rows[j], c);
    } else if (const std::uint32_t wanted = in_rim(o, y) & bits(0, RY)) {
      // These lanes own all of their columns, which therefore lie in line.
      const T* p = field + c.at[0];
      DWELL_UNROLL
      for (int j = 0; j < RY; ++j)
        if (wanted >> j & 1) r_[l].v[j] = row_in_line(p + rows[j]);
    }
    for (int q = 0; q < rest_count(); q += at_once) {
      row some[at_once] = {};
      const int first = y + RY + q;
      const std::uint32_t wanted = (whole ? ~0u : in_rim(o, first)) & bits(0, rest_count() - q);
      DWELL_UNROLL
      for (int k = 0; k < at_once; ++k)
        if (wanted >> k & 1)
          some[k] = row_at(field + row_in_field(o.row(a_, first + k - o.top())), c);
      DWELL_UNROLL
      for (int k = 0; k < at_once; ++k)
        if (wanted >> k & 1) rest_.put(l, q + k, some[k]);
    }
    if (!whole) exchange_columns<true>(l, o, field);
  });
  if constexpr (Rest) team_.section([](int) {});
}

template <class S, class T, class Team, int RY, bool Rest>
template <bool Take, class Field>
DWELL_FN void perks_tile<S, T, Team, RY, Rest>::exchange_columns(int l, const share& o,
                                                                 Field field) {
  constexpr int half = 16, loads = 8;
  const int n = rest_count(), w = o.x1 - o.x0, y0 = top(o, l) + RY;
  for (int i = l % half; i < 2 * o.rim; i += half) {
    const int d = i < o.rim ? i : i - o.rim;
    const int column = Take ? (i < o.rim ? d : o.rim + w + d) : (i < o.rim ? o.rim + d : w + d);
    if (!Take && (d >= w || column < o.rim)) continue;  // a tile narrower than its rim
    const int lane = l / 32 * 32 + column / RX;
    const auto at = field + columns_[column];
    for (int q = l % 32 / half; q < n; q += 2 * loads) {
      T v[loads];
      DWELL_UNROLL
      for (int k = 0; k < loads; ++k) {
        const int y = y0 + q + 2 * k;
        v[k] = T(0);
        if (q + 2 * k >= n || y < o.y0 || y >= o.y1) continue;
        if constexpr (Take)
          v[k] = team_.taken(at + row_in_field(y));
        else
          v[k] = *rest_.value(lane, q + 2 * k, column % RX);
      }
      DWELL_UNROLL
      for (int k = 0; k < loads; ++k) {
        const int y = y0 + q + 2 * k;
        if (q + 2 * k >= n || y < o.y0 || y >= o.y1) continue;
        if constexpr (Take)
          *rest_.value(lane, q + 2 * k, column % RX) = v[k];
        else
          team_.hand_over(at + row_in_field(y), v[k]);
      }
    }
  }
}

template <class S, class T, class Team, int RY, bool Rest>
DWELL_FN void perks_tile<S, T, Team, RY, Rest>::show(T* field, bool all) {
  if constexpr (Rest) team_.section([](int) {});
  team_.each([&](int l) {
    const share o = *own_;
    const int x = left(o, l), y = top(o, l);
    // Lanes that are partly owned are taken whole, so that their own cells are shown too.
    const bool rim = all || x < o.x0 + o.rim + RX - 1 || x + RX > o.x1 - o.rim - (RX - 1);
    const int near = o.y0 + o.rim > o.y1 ? o.y1 : o.y0 + o.rim;
    const int far = o.y1 - o.rim > o.y0 ? o.y1 - o.rim : o.y0;
    bool mine[RX];
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) mine[i] = x + i >= o.x0 && x + i < o.x1;
    T* p = field + row_in_field(y) + x;
    const std::uint32_t shown = bits(o.y0 - y, (rim ? o.y1 : near) - y) | bits(far - y, o.y1 - y);
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j, p += a_.size.x)
      if (shown >> j & 1) {
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i)
          if (mine[i]) team_.hand_over(p + i, r_[l].v[j].v[i]);
      }
    for (int q = 0; q < rest_count(); q += at_once, p += at_once * a_.size.x) {
      row some[at_once] = {};
      const int first = y + RY + q;
      const std::uint32_t wanted =
          (bits(o.y0 - first, (all ? o.y1 : near) - first) | bits(far - first, o.y1 - first)) &
          bits(0, rest_count() - q);
      if (wanted == 0) continue;
      DWELL_UNROLL
      for (int k = 0; k < at_once; ++k)
        if (wanted >> k & 1) some[k] = rest_.get(l, q + k);
      DWELL_UNROLL
      for (int k = 0; k < at_once; ++k)
        if (wanted >> k & 1) {
          DWELL_UNROLL
          for (int i = 0; i < RX; ++i)
            if (mine[i]) team_.hand_over(p + row_in_field(k) + i, some[k].v[i]);
        }
    }
    if (!all) exchange_columns<false>(l, o, field);
  });
}

}  // namespace dwell
