// SPDX-License-Identifier: MIT
// A step of warps' rows that are on the chip whole, as members of resident_rows: all turns, and
// one.
#pragma once
#include "dwell/execution/perks/resident_rows.hpp"

namespace dwell {

template <class S, class T, class Team, int RZ>
DWELL_FN void resident_rows<S, T, Team, RZ>::advance(int, const T* from, T* to, bool whole) {
  if (most_ == 0) return;
  const journey way{from, to};
  auto sums = team_.template per_lane<level>();
  auto above = team_.template per_lane<column<R>>();
  auto below = team_.template per_lane<column<below_ahead>>();
  auto next = team_.template per_lane<row>();
  team_.each([&](int l) {
    // Where rows lie is found anew in every step: kept, that takes a register for each of them.
    lane_[l].top = Team::opaque(lane_[l].top);
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) above[l].v[d] = from_field(l, from, d - R);
    fetch_sides(l, from, group_of(first_side));
    next[l] = above[l].v[0];
  });
  unrolled<0, R>([&](auto d) {
    turn<beside_rows<d - R>, show_rows::whole>(this_row{d - R}, way, sums, next, nowhere{},
                                               [&](int l) {
                                                 if constexpr (d + 1 < R)
                                                   return above[l].v[d + 1];
                                                 else
                                                   return r_[l].v[0];
                                               });
  });
  const auto in_place = [&](int r) { return [this, r](int l) { return read(kept_at(l, r)); }; };
  unrolled<0, RZ>([&](auto r) {
    const auto then = [&](int l) {
      if constexpr (r + 1 < RZ)
        return r_[l].v[r + 1];
      else
        return read(kept_at(l, RZ));
    };
    constexpr show_rows shown = r < 2 * R ? show_rows::whole : show_rows::ends;
    if constexpr (r < R)
      turn<beside_rows<r>, shown>(this_row{r}, way, sums, next, nowhere{}, then);
    else
      turn<beside_rows<r>, shown>(this_row{r}, way, sums, next, in_registers{r_}, then);
  });
  unrolled<RZ, RZ + R>([&](auto r) {
    constexpr show_rows shown = r < 2 * R ? show_rows::whole : show_rows::ends;
    turn<beside_rows<r>, shown>(this_row{r}, way, sums, next, in_registers{r_}, in_place(r + 1));
  });
  const int last = most_ - Q - 1;
  int r = loop;
  const auto begin_group_in_loop = [&] {
    team_.each([&](int l) {
      if (r >= kept(l) - 1) return;
      begin_group(
          l, from, r, [&] { return end_of(l, r - R - together); },
          [&](const piece& v) { show_end(l, to, r - R - together, v); });
    });
  };
  const auto turn_in_loop = [&](int y) {
    turn<columns::there, show_rows::ends_later>(this_row_of_all{{y}}, way, sums, next,
                                                in_scratch{*this}, in_place(y + 1));
  };
#pragma unroll 1
  for (; r + together <= last; r += together) {
    begin_group_in_loop();
    if constexpr (straight == together) {
      unrolled<0, together>([&](auto k) { turn_in_loop(r + k); });
    } else {
#pragma unroll 1
      for (int k = 0; k < together; k += straight)
        unrolled<0, straight>([&](auto d) { turn_in_loop(r + k + d); });
    }
  }
  if (r < last) begin_group_in_loop();
#pragma unroll 1
  for (; r < last; ++r) turn_in_loop(r);
  team_.each([&](int l) {
    DWELL_UNROLL
    for (int d = 0; d < below_ahead; ++d) below[l].v[d] = from_field(l, from, kept(l) + d);
  });
  Team::warp_meets();
  team_.each([&](int l) {
    const int first = group_of(kept(l) - 2) - R;
    show_end(l, to, first, end_of(l, first));
  });
  unrolled<-1, Q + R>([&](auto d) {
    constexpr columns beside_it = d < Q || !star ? columns::asked_for : columns::none;
    constexpr show_rows shown = d < Q ? show_rows::ends : show_rows::whole;
    const auto then = [&](int l) {
      const row v = below[l].v[0];
      DWELL_UNROLL
      for (int k = 0; k + 1 < below_ahead; ++k) below[l].v[k] = below[l].v[k + 1];
      if constexpr (d + 1 + below_ahead < Q + R)
        below[l].v[below_ahead - 1] = from_field(l, from, kept(l) + d + 1 + below_ahead);
      return v;
    };
    if constexpr (d < R)
      turn<beside_it, shown>(row_after_kept{{d}}, way, sums, next, in_scratch{*this}, then);
    else
      turn<beside_it, shown>(row_after_kept{{d}}, way, sums, next, in_field{}, then);
  });
  shown_ = to;
  if (whole) show_inside(to);
}

template <class S, class T, class Team, int RZ>
template <typename resident_rows<S, T, Team, RZ>::columns Columns,
          typename resident_rows<S, T, Team, RZ>::show_rows Shown, class Row, class Sums,
          class Rows, class Place, class Then>
DWELL_FN void resident_rows<S, T, Team, RZ>::turn(const Row& r, const journey& way, Sums& sums,
                                                  Rows& next, const Place& place,
                                                  const Then& then) {
  auto now = team_.template per_lane<row>();
  auto seen = team_.template per_lane<view>();
  team_.each([&](int l) {
    now[l] = next[l];
    if (!r.sits_out(*this, l)) next[l] = then(l);
  });
  if constexpr (Columns == columns::asked_for) {
    team_.each([&](int l) {
      const int y = r(*this, l);
      if ((y == group_of(y) || y == first_side) && !r.sits_out(*this, l))
        begin_group(
            l, way.from, group_of(y), [] { return 0; }, [](int) {});
    });
  }
  if constexpr (Columns != columns::none) {
    view::spread_row(
        team_, seen, [&](int l) -> const row& { return now[l]; },
        [&](int l, view& v, auto first, auto last) {
          const T* side = side_at(l, r(*this, l));
          if (lane_[l].left)
            v.template take_before<first, last>([&](int d) { return side[beside * wide - d]; });
          if (lane_[l].right)
            v.template take_after<first, last>([&](int d) { return side[d - 1]; });
        });
  } else {
    team_.each([&](int l) { seen[l].take(now[l]); });
  }
  team_.each([&](int l) {
    if (r.sits_out(*this, l)) return;
    const int y = r(*this, l);
    sums[l].add(now[l], seen[l], a_.w, still_nowhere{});
    if constexpr (Place::exists) {
      if (Shown != show_rows::ends_later)
        show(l, way.to, y - R, now[l], Shown == show_rows::whole ? lane_[l].all : lane_[l].some);
      place.put(l, y - R, now[l]);
    }
  });
}

}  // namespace dwell
