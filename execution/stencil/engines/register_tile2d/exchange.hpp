// SPDX-License-Identifier: MIT
// How tiles in two dimensions exchange their halos, as members of register_tile2d_agent.
#pragma once
#include "dwell/execution/stencil/engines/register_tile2d/agent.hpp"

namespace dwell {

template <class S, class T, class Team, int RY, bool Rest>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::take_if(const T* field, bool asked) {
  const bool whole = !Rest || asked;
  team_.each([&](int l) {
    const subdomain o = *own_;
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
    } else if (const std::uint32_t wanted = in_halo(o, y) & bits_between(0, RY)) {
      // These lanes own all of their columns, which therefore lie in line.
      const T* p = field + c.at[0];
      DWELL_UNROLL
      for (int j = 0; j < RY; ++j)
        if (wanted >> j & 1) r_[l].v[j] = row_in_line(p + rows[j]);
    }
    for (int q = 0; q < rest_count(); q += at_once) {
      row some[at_once] = {};
      const int first = y + RY + q;
      const std::uint32_t wanted =
          (whole ? ~0u : in_halo(o, first)) & bits_between(0, rest_count() - q);
      DWELL_UNROLL
      for (int k = 0; k < at_once; ++k)
        if (wanted >> k & 1)
          some[k] = row_at(field + row_in_field(o.row(a_, first + k - o.top)), c);
      DWELL_UNROLL
      for (int k = 0; k < at_once; ++k)
        if (wanted >> k & 1) rest_.put(l, q + k, some[k]);
    }
    if constexpr (Rest)
      if (!whole) exchange_columns<true>(l, o, field);
  });
  if constexpr (Rest) team_.section([](int) {});
}

template <class S, class T, class Team, int RY, bool Rest>
template <bool Take, class Field>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::exchange_columns(int l,
                                                                            const subdomain& o,
                                                                            Field field) {
  constexpr int half = 16, loads = 8;
  const int n = rest_count(), w = o.x1 - o.x0, y0 = top(o, l) + RY;
  for (int i = l % half; i < 2 * o.halo; i += half) {
    const int d = i < o.halo ? i : i - o.halo;
    const int column = Take ? (i < o.halo ? d : o.halo + w + d) : (i < o.halo ? o.halo + d : w + d);
    if (!Take && (d >= w || column < o.halo)) continue;  // a tile narrower than its halo
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
          v[k] = team_.received(at + row_in_field(y));
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
          team_.publish_value(at + row_in_field(y), v[k]);
      }
    }
  }
}

template <class S, class T, class Team, int RY, bool Rest>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::publish(T* field, bool asked) {
  const bool all = !Rest || asked;
  if constexpr (Rest) team_.section([](int) {});
  team_.each([&](int l) {
    const subdomain o = *own_;
    const int x = left(o, l), y = top(o, l);
    // Lanes that are partly owned are taken whole, so that their own cells are published too.
    const bool halo = all || x < o.x0 + o.halo + RX - 1 || x + RX > o.x1 - o.halo - (RX - 1);
    const int near = o.y0 + o.halo > o.y1 ? o.y1 : o.y0 + o.halo;
    const int far = o.y1 - o.halo > o.y0 ? o.y1 - o.halo : o.y0;
    bool mine[RX];
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) mine[i] = x + i >= o.x0 && x + i < o.x1;
    T* p = field + row_in_field(y) + x;
    const std::uint32_t published =
        bits_between(o.y0 - y, (halo ? o.y1 : near) - y) | bits_between(far - y, o.y1 - y);
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j, p += a_.size.x)
      if (published >> j & 1) {
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i)
          if (mine[i]) team_.publish_value(p + i, r_[l].v[j].v[i]);
      }
    for (int q = 0; q < rest_count(); q += at_once, p += at_once * a_.size.x) {
      row some[at_once] = {};
      const int first = y + RY + q;
      const std::uint32_t wanted = (bits_between(o.y0 - first, (all ? o.y1 : near) - first) |
                                    bits_between(far - first, o.y1 - first)) &
                                   bits_between(0, rest_count() - q);
      if (wanted == 0) continue;
      DWELL_UNROLL
      for (int k = 0; k < at_once; ++k)
        if (wanted >> k & 1) some[k] = rest_.get(l, q + k);
      DWELL_UNROLL
      for (int k = 0; k < at_once; ++k)
        if (wanted >> k & 1) {
          DWELL_UNROLL
          for (int i = 0; i < RX; ++i)
            if (mine[i]) team_.publish_value(p + row_in_field(k) + i, some[k].v[i]);
        }
    }
    if constexpr (Rest)
      if (!all) exchange_columns<false>(l, o, field);
  });
}

template <class S, class T, class Team, int RY, bool Rest>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::put_frames() {
  team_.section([&](int l) {
    const std::uint32_t put = framed_[l].put;
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j)
      if (put >> j & 1) frame::put(copy_, warp(l) * RY + j, l % 32, r_[l].v[j]);
  });
}

template <class S, class T, class Team, int RY, bool Rest>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::publish_frame(T* field) {
  constexpr int at_once = 4;
  team_.each([&](int l) {
    const subdomain o = *own_;
    const frame in = frame::inner(o, W * RY);
    T* const begin = field + (row_in_field(o.top) + o.left);
    in.each_band_row(copy_, l, [&](int j, const T* p, const bool(&has)[RX]) {
      T* const to = begin + row_in_field(j) + l % 32;
      DWELL_UNROLL
      for (int m = 0; m < RX; ++m)
        if (has[m]) team_.publish_value(to + 32 * m, p[m * frame::column_step]);
    });
    in.each_side_column(copy_, l, [&](int first, int last, int step, int c, const T* p) {
      T* to = begin + row_in_field(first) + c;
      const std::ptrdiff_t on = row_in_field(step);
      for (int j = first; j < last; j += at_once * step) {
        T v[at_once];
        DWELL_UNROLL
        for (int k = 0; k < at_once; ++k, p += step * frame::width)
          v[k] = j + k * step < last ? *p : T(0);
        DWELL_UNROLL
        for (int k = 0; k < at_once; ++k, to += on)
          if (j + k * step < last) team_.publish_value(to, v[k]);
      }
    });
  });
}

template <class S, class T, class Team, int RY, bool Rest>
DWELL_FN void register_tile2d_agent<S, T, Team, RY, Rest>::take_frame(const T* field) {
  team_.section([&](int l) {
    const subdomain o = *own_;
    const frame out = frame::outer(o, W * RY);
    // Cells beyond a fixed border are never used.
    const bool fixed = a_.edge == boundary::fixed;
    const T* columns[RX];
    bool wanted[RX];
    DWELL_UNROLL
    for (int m = 0; m < RX; ++m) {
      const int c = l % 32 + 32 * m;
      columns[m] = field + columns_[c];
      wanted[m] = !fixed || within(o.left + c, a_.size.x);
    }
    out.each_band_row(copy_, l, [&](int j, T* p, const bool(&has)[RX]) {
      if (fixed && !within(o.top + j, a_.size.y)) return;
      const std::ptrdiff_t row = rows_[j];
      DWELL_UNROLL
      for (int m = 0; m < RX; ++m)
        if (has[m] && wanted[m]) Team::fetch(p + m * frame::column_step, columns[m] + row);
    });
    out.each_side_column(copy_, l, [&](int first, int last, int step, int c, T* p) {
      if (fixed && !within(o.left + c, a_.size.x)) return;
      const T* from = field + row_in_field(o.top + first) + columns_[c];
      const std::ptrdiff_t on = row_in_field(step);
#pragma unroll 4
      for (int j = first; j < last; j += step, p += step * frame::width, from += on)
        Team::fetch(p, from);
    });
    Team::close_fetches();
    Team::template await_fetches<0>();
  });
  team_.each([&](int l) {
    const std::uint32_t got = framed_[l].got;
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j)
      if (got >> j & 1) frame::get(r_[l].v[j], copy_, warp(l) * RY + j, l % 32);
  });
}

template <class S, class T, class Team, int RY, bool Rest>
DWELL_FN typename register_tile2d_agent<S, T, Team, RY, Rest>::framed_rows
register_tile2d_agent<S, T, Team, RY, Rest>::framed_of(const subdomain& o, int l) {
  const frame in = frame::inner(o, W * RY), out = frame::outer(o, W * RY);
  const int lane = l % 32, first = warp(l) * RY;
  const bool columns = out.has_columns(lane);
  return {columns || in.has_columns(lane) ? ~0u : in.rows_from(first),
          columns ? ~0u : out.rows_from(first)};
}

}  // namespace dwell
