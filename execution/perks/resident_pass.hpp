// SPDX-License-Identifier: MIT
// A step of a brick that is on the chip whole, as members of resident_brick: all turns, and one.
#pragma once
#include "dwell/execution/perks/resident_brick.hpp"

namespace dwell {

template <class S, class T, class Team, int RZ>
DWELL_FN void resident_brick<S, T, Team, RZ>::advance(int, const T* from, T* to, bool whole) {
  const journey way{from, to, whole};
  auto sums = team_.template per_lane<level>();
  auto below = team_.template per_lane<column<R>>();
  auto above = team_.template per_lane<patch>(), next = team_.template per_lane<patch>();
  team_.each([&](int l) {
    unrolled<0, R>([&](auto d) { below[l].v[d] = from_field(l, from, d - R); });
    DWELL_UNROLL
    for (int p = 0; p + 1 < ring; ++p) fetch_rim(l, from, p - R);
    next[l] = below[l].v[0];
  });
  unrolled<0, R>([&](auto d) {
    turn<outer_planes>(d - R, way, sums, next, nowhere{}, [&](int l) {
      if constexpr (d + 1 < R)
        return below[l].v[d + 1];
      else
        return r_[l].v[0];
    });
  });
  const auto kept = [&](int z) { return [this, z](int l) { return read(kept_at(l, z)); }; };
  unrolled<0, RZ>([&](auto z) {
    const auto then = [&](int l) {
      if constexpr (z + 1 < RZ)
        return r_[l].v[z + 1];
      else
        return read(kept_at(l, RZ));
    };
    if constexpr (z < R)
      turn<look::shown>(z, way, sums, next, nowhere{}, then);
    else
      turn<look::shown>(z, way, sums, next, in_registers{r_, z - R}, then);
  });
  unrolled<RZ, RZ + R>([&](auto z) {
    turn<look::in_scratch>(z, way, sums, next, in_registers{r_, z - R}, kept(z + 1));
  });
  // The plane above the brick is on its way three planes before it is needed, the one above that a
  // plane before.
  const int last = own_.nz - 1, ahead = last - 2 > RZ + R ? last - 2 : RZ + R;
#pragma unroll 1
  for (int z = RZ + R; z < last; ++z) {
    if (z == ahead) team_.each([&](int l) { above[l] = from_field(l, from, own_.nz); });
    turn<look::in_scratch>(z, way, sums, next, in_scratch{*this, z - R}, kept(z + 1));
  }
  unrolled<-1, R>([&](auto d) {
    constexpr look here = d < 0 ? look::in_scratch : outer_planes;
    turn<here>(own_.nz + d, way, sums, next, in_scratch{*this, own_.nz + d - R}, [&](int l) {
      const patch v = above[l];
      if constexpr (d + 2 < R) above[l] = from_field(l, from, own_.nz + d + 2);
      return v;
    });
  });
}

template <class S, class T, class Team, int RZ>
template <typename resident_brick<S, T, Team, RZ>::look Look, class Sums, class Patches,
          class Place, class Then>
DWELL_FN void resident_brick<S, T, Team, RZ>::turn(int z, const journey& way, Sums& sums,
                                                   Patches& next, const Place& place,
                                                   const Then& then) {
  auto now = team_.template per_lane<patch>();
  team_.section([&](int l) {
    now[l] = next[l];
    if constexpr (Look == look::shown) show(l, z, now[l]);
    Team::template await_fetches<ring - 2>();
  });
  team_.each([&](int l) { next[l] = then(l); });
  auto seen = team_.template per_lane<view>();
  view::spread(
      team_, seen, [&](int l) -> const patch& { return now[l]; },
      [&](int l, int k) { return beyond<Look>(l, z, k); });
  team_.each([&](int l) {
    if constexpr (Look != look::at_nothing) {
      const T* sides = rim::column(rim_at(z), top(l));
      if (l % 32 == 0) seen[l].take_left([&](int k, int d) { return rim::left(sides, k, d); });
      if (left(l) + RX == own_.nx)
        seen[l].take_right([&](int k, int d) { return rim::right(sides, k, d); });
    }
    sums[l].add(now[l], seen[l], a_.w, still_nowhere{});
    if constexpr (Place::exists) {
      const int done = z - R;
      const bool all = way.whole || done < R || done >= own_.nz - R;
      store(l, way.to, done, now[l], all ? lane_[l].rows : lane_[l].rows >> RY);
      place.put(l, now[l], lane_[l].rows);
    }
    fetch_rim(l, way.from, z + ring - 1);
  });
}

}  // namespace dwell
