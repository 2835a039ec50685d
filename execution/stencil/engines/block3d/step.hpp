// SPDX-License-Identifier: MIT
// A step of a fully cached block, as members of block3d_agent: the loop over its planes, and one
// iteration.
#pragma once
#include "dwell/execution/stencil/engines/block3d/agent.hpp"

namespace dwell {

template <class S, class T, class Team, int RZ>
DWELL_FN void block3d_agent<S, T, Team, RZ>::advance(int, const T* from, T* to, bool whole) {
  const step_fields fields{from, to, whole};
  auto sums = team_.template per_lane<lane_sums>();
  auto below = team_.template per_lane<column<R>>();
  auto above = team_.template per_lane<tile>(), next = team_.template per_lane<tile>();
  team_.each([&](int l) {
    unrolled<0, R>([&]<int d>(constant<d>) { below[l].v[d] = from_field(l, from, d - R); });
    DWELL_UNROLL
    for (int p = 0; p + 1 < ring; ++p) fetch_halo(l, from, p - R);
    next[l] = below[l].v[0];
  });
  unrolled<0, R>([&]<int d>(constant<d>) {
    add_plane<outer_planes>(d - R, fields, sums, next, nowhere{}, [&](int l) {
      if constexpr (d + 1 < R)
        return below[l].v[d + 1];
      else
        return r_[l].v[0];
    });
  });
  const auto cached = [&](int z) { return [this, z](int l) { return read(cached_at(l, z)); }; };
  unrolled<0, RZ>([&]<int z>(constant<z>) {
    const auto then = [&](int l) {
      if constexpr (z + 1 < RZ)
        return r_[l].v[z + 1];
      else
        return read(cached_at(l, RZ));
    };
    if constexpr (z < R)
      add_plane<rows_beyond::published>(z, fields, sums, next, nowhere{}, then);
    else
      add_plane<rows_beyond::published>(z, fields, sums, next, in_registers{r_, z - R}, then);
  });
  unrolled<RZ, RZ + R>([&]<int z>(constant<z>) {
    add_plane<rows_beyond::in_scratch>(z, fields, sums, next, in_registers{r_, z - R},
                                       cached(z + 1));
  });
  // The plane above the block is on its fields three planes before it is needed, the one above that
  // a plane before.
  const int last = own_.nz - 1, ahead = last - 2 > RZ + R ? last - 2 : RZ + R;
#pragma unroll 1
  for (int z = RZ + R; z < last; ++z) {
    if (z == ahead) team_.each([&](int l) { above[l] = from_field(l, from, own_.nz); });
    add_plane<rows_beyond::in_scratch>(z, fields, sums, next, in_scratch{*this, z - R},
                                       cached(z + 1));
  }
  unrolled<-1, R>([&]<int d>(constant<d>) {
    constexpr rows_beyond here = d < 0 ? rows_beyond::in_scratch : outer_planes;
    add_plane<here>(own_.nz + d, fields, sums, next, in_scratch{*this, own_.nz + d - R},
                    [&](int l) {
                      const tile v = above[l];
                      if constexpr (d + 2 < R) above[l] = from_field(l, from, own_.nz + d + 2);
                      return v;
                    });
  });
}

template <class S, class T, class Team, int RZ>
template <typename block3d_agent<S, T, Team, RZ>::rows_beyond Beyond, class Sums, class Tiles,
          class Place, class Then>
DWELL_FN void block3d_agent<S, T, Team, RZ>::add_plane(int z, const step_fields& fields, Sums& sums,
                                                       Tiles& next, const Place& place,
                                                       const Then& then) {
  auto now = team_.template per_lane<tile>();
  team_.section([&](int l) {
    now[l] = next[l];
    if constexpr (Beyond == rows_beyond::published) publish(l, z, now[l]);
    Team::template await_fetches<ring - 2>();
  });
  team_.each([&](int l) { next[l] = then(l); });
  auto views = team_.template per_lane<view>();
  view::spread(
      team_, views, [&](int l) -> const tile& { return now[l]; },
      [&](int l, int k) { return beyond<Beyond>(l, z, k); });
  team_.each([&](int l) {
    if constexpr (Beyond != rows_beyond::none) {
      const T* sides = halo::column(halo_at(z), top(l));
      if (l % 32 == 0) views[l].take_left([&](int k, int d) { return halo::left(sides, k, d); });
      if (left(l) + RX == own_.nx)
        views[l].take_right([&](int k, int d) { return halo::right(sides, k, d); });
    }
    sums[l].add(now[l], views[l], a_.w, no_fixed_cells{});
    if constexpr (Place::exists) {
      const int done = z - R;
      const bool all = fields.whole || done < R || done >= own_.nz - R;
      store(l, fields.to, done, now[l], all ? lane_[l].rows : lane_[l].rows >> RY);
      place.put(l, now[l], lane_[l].rows);
    }
    fetch_halo(l, fields.from, z + ring - 1);
  });
}

}  // namespace dwell
