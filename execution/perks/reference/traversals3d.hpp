// SPDX-License-Identifier: MIT
// A step of a block in three dimensions, as members of reference_block3d_agent: through its planes
// one after the other, in kernels for several orders in the order of the plan.
#pragma once
#include "dwell/execution/perks/reference/agent.hpp"

namespace dwell {

/// The lanes have met since the last pass, so any plane of scratch may be written. What other teams
/// read and write of the fields does not depend on the order: they do so before and after the pass.
template <class S, class T, class Team, int RZ, bool Orders>
DWELL_FN void reference_block3d_agent<S, T, Team, RZ, Orders>::pass_in_order(step_fields fields) {
  if (a_.plan.order == traversal::zig_zag) {
    ups_ ^= 1;
    if (ups_ == 0) return pass_up(fields);
  }
  const int n = own_.nz - RZ, first = a_.plan.order == traversal::ring ? next_start() : n;
  if (first < n) {
    rest_from(fields, first);
    team_.section([](int) {});  // all have read the planes that it published last
  }
  pass_down(fields, first);
}

/// Of the planes that are not in registers, where a ring begins this time: so many of them that the
/// first window and the stash are of planes that are there, or behind the last.
template <class S, class T, class Team, int RZ, bool Orders>
DWELL_FN int reference_block3d_agent<S, T, Team, RZ, Orders>::next_start() {
  const int n = own_.nz - RZ, first = start_;
  start_ -= a_.plan.ring_rows;
  if (start_ <= 0) start_ += n;
  return first < R || n - first < R ? n : first;
}

/// The planes in registers, then the first `last` of the others.
template <class S, class T, class Team, int RZ, bool Orders>
DWELL_FN void reference_block3d_agent<S, T, Team, RZ, Orders>::pass_down(step_fields fields,
                                                                         int last) {
  auto win = team_.template per_lane<window>();
  auto halos = team_.template per_lane<halo_queue>();
  rest_.begin(0, last);
  team_.each([&](int l) { rest_.start(team_, l); });
  enter<false>(0, fields, win, halos, [&](int l, int z) {
    return z < 0 ? from_field(l, fields.from, z) : tile_at(l, fields.from, z, last);
  });
  DWELL_UNROLL
  for (int z = 0; z < RZ; ++z)
    next_plane<false>(
        z, fields, win, halos, [&](int l) { return tile_at(l, fields.from, z + R, last); },
        [&](int l, const tile& v) { r_[l].v[z] = v; });
#pragma unroll 1
  for (int z = RZ; z < RZ + last; ++z)
    next_plane<false>(
        z, fields, win, halos, [&](int l) { return rest_at(l, fields.from, z + R, last); },
        [&](int l, const tile& v) { rest_.put(l, z - RZ, v); });
}

/// Of the planes that are not in registers those from `first` on. They go before all others, which
/// need the first R of them as they were.
template <class S, class T, class Team, int RZ, bool Orders>
DWELL_FN void reference_block3d_agent<S, T, Team, RZ, Orders>::rest_from(step_fields fields,
                                                                         int first) {
  auto win = team_.template per_lane<window>();
  auto halos = team_.template per_lane<halo_queue>();
  const int n = own_.nz - RZ;
  fields.at += (RZ + first) * stride();
  team_.each([&](int l) {
    for (int d = 0; d < R; ++d) stash_.put(l, d, rest_.get(l, first + d));
  });
  rest_.begin(first + R, n);
  team_.each([&](int l) { rest_.start(team_, l); });
  enter<false>(RZ + first, fields, win, halos, [&](int l, int z) { return rest_.get(l, z - RZ); });
#pragma unroll 1
  for (int z = RZ + first; z < own_.nz; ++z)
    next_plane<false>(
        z, fields, win, halos, [&](int l) { return rest_at(l, fields.from, z + R, n); },
        [&](int l, const tile& v) { rest_.put(l, z - RZ, v); });
}

/// All planes, from the last to the first: nothing need be put aside. Those in registers have names
/// that the compiler knows, so the last iterations before them stand apart.
template <class S, class T, class Team, int RZ, bool Orders>
DWELL_FN void reference_block3d_agent<S, T, Team, RZ, Orders>::pass_up(step_fields fields) {
  auto win = team_.template per_lane<window>();
  auto halos = team_.template per_lane<halo_queue>();
  fields.at += (own_.nz - 1) * stride();
  rest_.begin(own_.nz - RZ, 0, true);
  team_.each([&](int l) { rest_.start(team_, l); });
  const auto at = [&](int l, int z) {
    return z >= RZ && z < own_.nz ? rest_.take(team_, l, z - RZ) : from_field(l, fields.from, z);
  };
  enter<true>(own_.nz - 1, fields, win, halos, at);
#pragma unroll 1
  for (int z = own_.nz - 1; z >= (RZ > 0 ? RZ + R : 0); --z)
    next_plane<true>(
        z, fields, win, halos, [&](int l) { return at(l, z - R); },
        [&](int l, const tile& v) { rest_.put(l, z - RZ, v); });
  if constexpr (RZ > 0) {
    DWELL_UNROLL
    for (int k = 1; k <= R; ++k)
      next_plane<true>(
          RZ + R - k, fields, win, halos, [&](int l) { return r_[l].v[RZ - k]; },
          [&](int l, const tile& v) { rest_.put(l, R - k, v); });
    DWELL_UNROLL
    for (int z = RZ - 1; z >= 0; --z)
      next_plane<true>(
          z, fields, win, halos,
          [&](int l) {
            return z < R ? from_field(l, fields.from, z - R) : r_[l].v[z < R ? 0 : z - R];
          },
          [&](int l, const tile& v) { r_[l].v[z] = v; });
  }
}

/// Before plane `first`: the planes that its window begins with, which box shapes publish too.
template <class S, class T, class Team, int RZ, bool Orders>
template <bool Up, class Windows, class Halos, class Get>
DWELL_FN void reference_block3d_agent<S, T, Team, RZ, Orders>::enter(int first,
                                                                     const step_fields& fields,
                                                                     Windows& win, Halos& halos,
                                                                     Get&& get) {
  constexpr int step = Up ? -1 : 1;
  const int passed = Up ? own_.nz - 1 - first : first;
  team_.each([&](int l) {
    DWELL_UNROLL
    for (int p = 0; p < halos_ahead; ++p)
      halos[l].next[p] =
          halo_at(l, fields.from, first + step * (passed + p < own_.nz ? p + ahead : ahead));
    DWELL_UNROLL
    for (int p = -R; p < R; ++p) {
      const int z = first + step * p;
      push(win[l], get(l, z));
      if constexpr (ahead > 0) publish(l, z, win[l].here[2 * R], halo_at(l, fields.from, z));
    }
  });
  if constexpr (ahead > 0) {
    team_.section([](int) {});
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int p = -R; p < R; ++p) complete(l, first + step * p, win[l].here[p + R + 1]);
    });
  }
}

/// Computes plane z. get(lane): the plane that comes into the window; put(lane, v): z's place.
template <class S, class T, class Team, int RZ, bool Orders>
template <bool Up, class Windows, class Halos, class Get, class Put>
DWELL_FN void reference_block3d_agent<S, T, Team, RZ, Orders>::next_plane(
    int z, step_fields& fields, Windows& win, Halos& halos, Get&& get, Put&& put) {
  constexpr int step = Up ? -1 : 1;
  team_.section([&](int l) {
    push(win[l], get(l));
    halo_queue& q = halos[l];
    publish(l, z + step * ahead, win[l].here[R + ahead], q.next[0]);
    DWELL_UNROLL
    for (int k = 0; k + 1 < halos_ahead; ++k) q.next[k] = q.next[k + 1];
    // Inside the block planes lie one after the other.
    constexpr int on = halos_ahead + ahead;
    const int passed = Up ? own_.nz - 1 - z : z;
    if (passed + on < own_.nz)
      q.next[halos_ahead - 1] = halo_from(l, fields.from + fields.at + step * on * stride());
    else if (passed + halos_ahead < own_.nz)
      q.next[halos_ahead - 1] = halo_at(l, fields.from, z + step * on);
  });
  team_.each([&](int l) {
    complete(l, z + step * ahead, win[l].here[R + ahead]);
    const T* planes[2 * ahead + 1];
    DWELL_UNROLL
    for (int d = -ahead; d <= ahead; ++d)
      planes[d + ahead] = slot(z + d) + plane::at(top(l), left(l));
    tile v;
    DWELL_UNROLL
    for (int k = 0; k < N; ++k)
      v.v[k] = S::template apply<T>(near_tile<Up>{win[l], planes, k / RX, k % RX}, a_.w);
    const std::ptrdiff_t at = fields.at + first_[l];
    if (a_.source) add_source(a_.source + at, v, owned(marks_[l]));
    if (has_fixed_cells_) restore_fixed(l, z, win[l].here[R], v);
    const bool face = fields.whole || z < R || z >= own_.nz - R;
    publish_value(fields.to + at, v, face ? owned(marks_[l]) : needed(marks_[l]));
    put(l, v);
  });
  fields.at += step * stride();
}

}  // namespace dwell
