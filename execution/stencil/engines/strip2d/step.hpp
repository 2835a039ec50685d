// SPDX-License-Identifier: MIT
// A step of warps' fully cached rows, as members of strip2d_agent: the loop over the rows, and one
// iteration.
#pragma once
#include "dwell/execution/stencil/engines/strip2d/agent.hpp"

namespace dwell {

template <class S, class T, class Team, int RZ>
DWELL_FN void strip2d_agent<S, T, Team, RZ>::advance(int, const T* from, T* to, bool whole) {
  if (most_ == 0) return;
  const step_fields fields{from, to};
  auto sums = team_.template per_lane<lane_sums>();
  auto above = team_.template per_lane<column<R>>();
  auto below = team_.template per_lane<column<below_ahead>>();
  auto next = team_.template per_lane<row>();
  team_.each([&](int l) {
    // The places of rows are computed anew in every step: keeping them takes a register for each.
    lane_[l].top = Team::opaque(lane_[l].top);
    DWELL_UNROLL
    for (int d = 0; d < R; ++d) above[l].v[d] = from_field(l, from, d - R);
    fetch_sides(l, from, group_of(first_side));
    next[l] = above[l].v[0];
  });
  unrolled<0, R>([&]<int d>(constant<d>) {
    add_row<beside_rows<d - R>, published_rows::whole>(this_row{d - R}, fields, sums, next,
                                                       nowhere{}, [&](int l) {
                                                         if constexpr (d + 1 < R)
                                                           return above[l].v[d + 1];
                                                         else
                                                           return r_[l].v[0];
                                                       });
  });
  const auto in_place = [&](int r) { return [this, r](int l) { return read(cached_at(l, r)); }; };
  unrolled<0, RZ>([&]<int r>(constant<r>) {
    const auto then = [&](int l) {
      if constexpr (r + 1 < RZ)
        return r_[l].v[r + 1];
      else
        return read(cached_at(l, RZ));
    };
    constexpr published_rows published = r < 2 * R ? published_rows::whole : published_rows::ends;
    if constexpr (r < R)
      add_row<beside_rows<r>, published>(this_row{r}, fields, sums, next, nowhere{}, then);
    else
      add_row<beside_rows<r>, published>(this_row{r}, fields, sums, next, in_registers{r_}, then);
  });
  unrolled<RZ, RZ + R>([&]<int r>(constant<r>) {
    constexpr published_rows published = r < 2 * R ? published_rows::whole : published_rows::ends;
    add_row<beside_rows<r>, published>(this_row{r}, fields, sums, next, in_registers{r_},
                                       in_place(r + 1));
  });
  const int last = most_ - Q - 1;
  int r = loop;
  const auto begin_group_in_loop = [&] {
    team_.each([&](int l) {
      if (r >= cached(l) - 1) return;
      begin_group(
          l, from, r, [&] { return end_of(l, r - R - together); },
          [&](const piece& v) { publish_end(l, to, r - R - together, v); });
    });
  };
  const auto add_row_in_loop = [&](int y) {
    add_row<columns::there, published_rows::ends_later>(this_row_of_all{{y}}, fields, sums, next,
                                                        in_scratch{*this}, in_place(y + 1));
  };
#pragma unroll 1
  for (; r + together <= last; r += together) {
    begin_group_in_loop();
    if constexpr (straight == together) {
      unrolled<0, together>([&]<int k>(constant<k>) { add_row_in_loop(r + k); });
    } else {
#pragma unroll 1
      for (int k = 0; k < together; k += straight)
        unrolled<0, straight>([&]<int d>(constant<d>) { add_row_in_loop(r + k + d); });
    }
  }
  if (r < last) begin_group_in_loop();
#pragma unroll 1
  for (; r < last; ++r) add_row_in_loop(r);
  team_.each([&](int l) {
    DWELL_UNROLL
    for (int d = 0; d < below_ahead; ++d) below[l].v[d] = from_field(l, from, cached(l) + d);
  });
  Team::warp_barrier();
  team_.each([&](int l) {
    const int first = group_of(cached(l) - 2) - R;
    publish_end(l, to, first, end_of(l, first));
  });
  unrolled<-1, Q + R>([&]<int d>(constant<d>) {
    constexpr columns beside_it = d < Q || !star ? columns::asked_for : columns::none;
    constexpr published_rows published = d < Q ? published_rows::ends : published_rows::whole;
    const auto then = [&](int l) {
      const row v = below[l].v[0];
      DWELL_UNROLL
      for (int k = 0; k + 1 < below_ahead; ++k) below[l].v[k] = below[l].v[k + 1];
      if constexpr (d + 1 + below_ahead < Q + R)
        below[l].v[below_ahead - 1] = from_field(l, from, cached(l) + d + 1 + below_ahead);
      return v;
    };
    if constexpr (d < R)
      add_row<beside_it, published>(row_after_cached{{d}}, fields, sums, next, in_scratch{*this},
                                    then);
    else
      add_row<beside_it, published>(row_after_cached{{d}}, fields, sums, next, in_field{}, then);
  });
  published_ = to;
  if (whole) publish_interior(to);
}

template <class S, class T, class Team, int RZ>
template <typename strip2d_agent<S, T, Team, RZ>::columns Columns,
          typename strip2d_agent<S, T, Team, RZ>::published_rows Published, class Row, class Sums,
          class Rows, class Place, class Then>
DWELL_FN void strip2d_agent<S, T, Team, RZ>::add_row(const Row& r, const step_fields& fields,
                                                     Sums& sums, Rows& next, const Place& place,
                                                     const Then& then) {
  auto now = team_.template per_lane<row>();
  auto views = team_.template per_lane<view>();
  team_.each([&](int l) {
    now[l] = next[l];
    if (!r.sits_out(*this, l)) next[l] = then(l);
  });
  if constexpr (Columns == columns::asked_for) {
    team_.each([&](int l) {
      const int y = r(*this, l);
      if ((y == group_of(y) || y == first_side) && !r.sits_out(*this, l))
        begin_group(
            l, fields.from, group_of(y), [] { return 0; }, [](int) {});
    });
  }
  if constexpr (Columns != columns::none) {
    view::spread_row(
        team_, views, [&](int l) -> const row& { return now[l]; },
        [&](int l, view& v, auto first, auto last) {
          const T* side = side_at(l, r(*this, l));
          if (lane_[l].left)
            v.template take_before<first, last>([&](int d) { return side[beside * wide - d]; });
          if (lane_[l].right)
            v.template take_after<first, last>([&](int d) { return side[d - 1]; });
        });
  } else {
    team_.each([&](int l) { views[l].take(now[l]); });
  }
  team_.each([&](int l) {
    if (r.sits_out(*this, l)) return;
    const int y = r(*this, l);
    sums[l].add(now[l], views[l], a_.w, no_fixed_cells{});
    if constexpr (Place::exists) {
      if (Published != published_rows::ends_later)
        publish(l, fields.to, y - R, now[l],
                Published == published_rows::whole ? lane_[l].all : lane_[l].some);
      place.put(l, y - R, now[l]);
    }
  });
}

}  // namespace dwell
