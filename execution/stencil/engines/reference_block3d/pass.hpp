// SPDX-License-Identifier: MIT
// A step of a block in three dimensions, as members of reference_block3d_agent: through its planes
// one after the other.
#pragma once
#include "dwell/execution/stencil/engines/reference_block3d/agent.hpp"

namespace dwell {

/// The planes in registers, then the others. The lanes have met since the last pass, so any plane
/// of scratch may be written.
template <class S, class T, class Team, int RZ>
DWELL_FN void reference_block3d_agent<S, T, Team, RZ>::pass(step_fields fields) {
  auto win = team_.template per_lane<window>();
  auto halos = team_.template per_lane<halo_queue>();
  rest_.begin(0, own_.nz - RZ);
  team_.each([&](int l) { rest_.start(team_, l); });
  enter(fields, win, halos, [&](int l, int z) {
    return z < 0 ? from_field(l, fields.from, z) : tile_at(l, fields.from, z);
  });
  DWELL_UNROLL
  for (int z = 0; z < RZ; ++z)
    next_plane(
        z, fields, win, halos, [&](int l) { return tile_at(l, fields.from, z + R); },
        [&](int l, const tile& v) { r_[l].v[z] = v; });
#pragma unroll 1
  for (int z = RZ; z < own_.nz; ++z)
    next_plane(
        z, fields, win, halos, [&](int l) { return rest_at(l, fields.from, z + R); },
        [&](int l, const tile& v) { rest_.put(l, z - RZ, v); });
}

/// Before the first plane: the planes that its window begins with, which box shapes publish too.
template <class S, class T, class Team, int RZ>
template <class Windows, class Halos, class Get>
DWELL_FN void reference_block3d_agent<S, T, Team, RZ>::enter(const step_fields& fields,
                                                             Windows& win, Halos& halos,
                                                             Get&& get) {
  team_.each([&](int l) {
    DWELL_UNROLL
    for (int p = 0; p < halos_ahead; ++p)
      halos[l].next[p] = halo_at(l, fields.from, p < own_.nz ? p + ahead : ahead);
    DWELL_UNROLL
    for (int z = -R; z < R; ++z) {
      push(win[l], get(l, z));
      if constexpr (ahead > 0) publish(l, z, win[l].here[2 * R], halo_at(l, fields.from, z));
    }
  });
  if constexpr (ahead > 0) {
    team_.section([](int) {});
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int z = -R; z < R; ++z) complete(l, z, win[l].here[z + R + 1]);
    });
  }
}

/// Computes plane z. get(lane): the plane that comes into the window; put(lane, v): z's place.
template <class S, class T, class Team, int RZ>
template <class Windows, class Halos, class Get, class Put>
DWELL_FN void reference_block3d_agent<S, T, Team, RZ>::next_plane(int z, step_fields& fields,
                                                                  Windows& win, Halos& halos,
                                                                  Get&& get, Put&& put) {
  team_.section([&](int l) {
    push(win[l], get(l));
    halo_queue& q = halos[l];
    publish(l, z + ahead, win[l].here[R + ahead], q.next[0]);
    DWELL_UNROLL
    for (int k = 0; k + 1 < halos_ahead; ++k) q.next[k] = q.next[k + 1];
    // Inside the block planes lie one after the other.
    constexpr int on = halos_ahead + ahead;
    if (z + on < own_.nz)
      q.next[halos_ahead - 1] = halo_from(l, fields.from + fields.at + on * stride());
    else if (z + halos_ahead < own_.nz)
      q.next[halos_ahead - 1] = halo_at(l, fields.from, z + on);
  });
  team_.each([&](int l) {
    complete(l, z + ahead, win[l].here[R + ahead]);
    const T* planes[2 * ahead + 1];
    DWELL_UNROLL
    for (int d = -ahead; d <= ahead; ++d)
      planes[d + ahead] = slot(z + d) + plane::at(top(l), left(l));
    tile v;
    DWELL_UNROLL
    for (int k = 0; k < N; ++k)
      v.v[k] = S::template apply<T>(near_tile{win[l], planes, k / RX, k % RX}, a_.w);
    const std::ptrdiff_t at = fields.at + first_[l];
    if (a_.source) add_source(a_.source + at, v, owned(marks_[l]));
    if (has_fixed_cells_) restore_fixed(l, z, win[l].here[R], v);
    const bool face = fields.whole || z < R || z >= own_.nz - R;
    publish_value(fields.to + at, v, face ? owned(marks_[l]) : needed(marks_[l]));
    put(l, v);
  });
  fields.at += stride();
}

}  // namespace dwell
