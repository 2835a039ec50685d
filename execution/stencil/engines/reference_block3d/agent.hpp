// SPDX-License-Identifier: MIT
// The block of one team in three dimensions, which stays with it for the whole run. Lanes are 32
// across x, a warp below the other along y; a lane has a column of small tiles along z: the first
// stay in registers, the next in scratch, and the rest pass through from memory that the team alone
// touches.
//
// A step goes through the planes in order. The tile of every lane enters a window of 2R + 1
// planes; it is published to the other lanes in a plane of scratch, with a halo that comes from the
// field; the lanes meet; the new tile goes back to where the old one was, and its cells that other
// teams need, R from a face, into the other copy of the field. One barrier per plane is enough: a
// slot is written again only by lanes which have met since all have read it.
//
// Between steps teams only signal and wait. A team writes a copy of the field again two steps
// later: by then every neighbour has signalled the step in which it read it.
#pragma once
#include "dwell/execution/stencil/cell/cached_layers.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"
#include "dwell/execution/stencil/engines/reference_block3d/halo3d.hpp"
#include "dwell/execution/stencil/engines/reference_block3d/plane.hpp"

namespace dwell {

/// RZ planes are in registers.
template <class S, class T, class Team, int RZ>
class reference_block3d_agent {
 public:
  DWELL_FN reference_block3d_agent(Team& team, const stencil_call<S, T>& a)
      : team_(team),
        a_(a),
        own_(a, team.worker()),
        has_fixed_cells_(own_.has_fixed_cells(a)),
        published_(team.template scratch<T>(slots * plane::values)),
        rest_(layers_of<rest>(team, a)) {
    team.each([&](int l) {
      marks_[l] = halo::marks_of(a, own_, l);
      halo_[l] = halo::places_of(a, own_, l);
      first_[l] = (own_.y0 + top(l)) * a.size.x + own_.x0 + left(l);
    });
  }

  /// The whole block from a copy of the field.
  DWELL_FN void load(const T* field) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int z = 0; z < RZ; ++z) r_[l].v[z] = from_field(l, field, z);
      for (int z = RZ; z < own_.nz; ++z) rest_.put(l, z - RZ, from_field(l, field, z));
    });
  }

  /// `steps` is 1: halos are one step deep. Reads the halo from one copy of the field and leaves
  /// the block's faces, or all of it, in the other.
  DWELL_FN void advance(int, const T* from, T* to, bool whole) {
    pass({from, to, whole, own_.z0 * stride()});
  }

  /// All of the block into a copy of the field.
  DWELL_FN void publish(T* field) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int z = 0; z < RZ; ++z)
        publish_value(field + in_field(l, z), r_[l].v[z], owned(marks_[l]));
      for (int z = RZ; z < own_.nz; ++z)
        publish_value(field + in_field(l, z), rest_.get(l, z - RZ), owned(marks_[l]));
    });
  }

 private:
  static constexpr int R = radius_of<S>, RX = perks_across<S>, RY = perks_down<S>;
  static constexpr int N = RX * RY;  // cells of a tile
  static constexpr bool star = is_star<S>;
  static constexpr int ahead = star ? 0 : R;  // planes published beyond the one that is computed
  static constexpr int slots = perks_plane_slots<S>;
  using plane = perks_plane<S>;
  using halo = reference_halo<S, T>;
  static_assert(Team::lanes() == perks_lanes && (RZ == 0 || RZ >= R) && N <= 8);

  using halo_place = typename halo::places;
  using rest = perks_layers<S, T>;
  using tile = typename rest::layer;
  struct column {
    tile v[RZ > 0 ? RZ : 1];
  };
  struct window {
    tile here[2 * R + 1];
  };
  struct halo_values {
    T v[halo::part];
  };
  /// Number of halos under way, of the planes that are published next. Planes are worked on faster
  /// than L2 answers.
  static constexpr int halos_ahead = 3;
  struct halo_queue {
    halo_values next[halos_ahead];
  };
  struct step_fields {
    const T* from;
    T* to;
    bool whole;
    std::ptrdiff_t at;  ///< where the plane that is computed begins in the field
  };
  struct near_tile {
    const window& w;
    const T* const (&planes)[2 * ahead + 1];
    int j, i;
    DWELL_FN T operator()(int dz, int dy, int dx) const {
      const int y = j + dy, x = i + dx;
      if (0 <= y && y < RY && 0 <= x && x < RX) return w.here[dz + R].v[y * RX + x];
      return planes[star ? 0 : dz + R][plane::step(y, x)];
    }
  };

  // A pass through the planes: pass.hpp.
  DWELL_FN void pass(step_fields fields);
  template <class Windows, class Halos, class Get>
  DWELL_FN void enter(const step_fields& fields, Windows& win, Halos& halos, Get&& get);
  template <class Windows, class Halos, class Get, class Put>
  DWELL_FN void next_plane(int z, step_fields& fields, Windows& win, Halos& halos, Get&& get,
                           Put&& put);

  DWELL_FN static int left(int l) { return l % 32 * RX; }
  DWELL_FN static int top(int l) { return l / 32 * RY; }
  DWELL_FN T* slot(int z) const { return published_ + (z & (slots - 1)) * plane::values; }

  static constexpr unsigned all_cells = (1u << N) - 1;
  DWELL_FN static unsigned owned(unsigned marks) { return marks & 255; }
  DWELL_FN static unsigned needed(unsigned marks) { return marks >> 8 & 255; }  ///< by other teams
  DWELL_FN static unsigned fixed(unsigned marks) { return marks >> 16; }

  DWELL_FN int place(int n, int i) const { return block_subdomain<T>::place(a_.edge, i, n); }
  /// Cells of a plane of the field.
  DWELL_FN std::ptrdiff_t stride() const {
    return static_cast<std::ptrdiff_t>(a_.size.y) * a_.size.x;
  }
  /// Where plane z of the block, or one above or below it, begins in the field.
  DWELL_FN std::ptrdiff_t plane_in_field(int z) const {
    return place(a_.size.z, own_.z0 + z) * stride();
  }
  /// The lane's first cell of plane z, in the field.
  DWELL_FN std::ptrdiff_t in_field(int l, int z) { return plane_in_field(z) + first_[l]; }

  DWELL_FN halo_values halo_at(int l, const T* from, int z) {
    return halo_from(l, from + plane_in_field(z));
  }
  DWELL_FN halo_values halo_from(int l, const T* p) {
    halo_values v;
    DWELL_UNROLL
    for (int k = 0; k < halo::part; ++k) v.v[k] = team_.received(p + halo_[l].from[k]);
    return v;
  }

  /// In place of cells that the team does not own: its last ones.
  DWELL_FN tile from_field(int l, const T* field, int z) {
    tile v;
    const T* p = field + plane_in_field(z);
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j) {
      const int y = top(l) + j < own_.ny ? top(l) + j : own_.ny - 1;
      const T* row = p + (own_.y0 + y) * a_.size.x + own_.x0;
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i)
        v.v[j * RX + i] = team_.received(row + (left(l) + i < own_.nx ? left(l) + i : own_.nx - 1));
    }
    return v;
  }
  /// Plane z >= RZ, which may be one above the block; once each, in order.
  DWELL_FN tile rest_at(int l, const T* from, int z) {
    return z < own_.nz ? rest_.take(team_, l, z - RZ) : from_field(l, from, z);
  }
  /// Plane z >= 0, which the compiler knows; plans with registers have R more planes than these.
  DWELL_FN tile tile_at(int l, const T* from, int z) {
    if constexpr (RZ > 0) {
      if (z < RZ) return r_[l].v[z < RZ ? z : 0];
      return rest_.take(team_, l, z - RZ);
    } else {
      return rest_at(l, from, z);
    }
  }

  DWELL_FN static void push(window& w, const tile& v) {
    DWELL_UNROLL
    for (int k = 0; k < 2 * R; ++k) w.here[k] = w.here[k + 1];
    w.here[2 * R] = v;
  }
  DWELL_FN void publish(int l, int z, const tile& v, const halo_values& halo) {
    T* s = slot(z);
    T* p = s + plane::at(top(l), left(l));
    const unsigned mine = owned(marks_[l]);
    if (mine == all_cells) {
      DWELL_UNROLL
      for (int k = 0; k < N; ++k) p[plane::step(k / RX, k % RX)] = v.v[k];
    } else {
      DWELL_UNROLL
      for (int k = 0; k < N; ++k)
        if (mine >> k & 1) p[plane::step(k / RX, k % RX)] = v.v[k];
    }
    DWELL_UNROLL
    for (int k = 0; k < halo::part; ++k)
      if (halo_[l].to[k] >= 0) s[halo_[l].to[k]] = halo.v[k];
  }

  /// Completes a tile that the team owns in part: the other cells may be of the halo.
  DWELL_FN void complete(int l, int z, tile& v) {
    if (owned(marks_[l]) == all_cells) return;
    const T* p = slot(z) + plane::at(top(l), left(l));
    DWELL_UNROLL
    for (int k = 0; k < N; ++k) v.v[k] = p[plane::step(k / RX, k % RX)];
  }

  DWELL_FN void publish_value(T* p, const tile& v, unsigned which) {
    if (which == 0) return;
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j, p += a_.size.x) {
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i)
        if (which >> (j * RX + i) & 1) team_.publish_value(p + i, v.v[j * RX + i]);
    }
  }
  DWELL_FN void add_source(const T* p, tile& v, unsigned which) {
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j, p += a_.size.x) {
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i)
        if (which >> (j * RX + i) & 1) v.v[j * RX + i] += p[i];
    }
  }
  DWELL_FN void restore_fixed(int l, int z, const tile& old, tile& v) {
    const int gz = own_.z0 + z;
    const unsigned which = gz < a_.inner.z0 || gz >= a_.inner.z1 ? ~0u : fixed(marks_[l]);
    if (which == 0) return;
    DWELL_UNROLL
    for (int k = 0; k < N; ++k) v.v[k] = which >> k & 1 ? old.v[k] : v.v[k];
  }

  using registers = decltype(std::declval<Team&>().template per_lane<column>());
  Team& team_;
  const stencil_call<S, T>& a_;
  block_subdomain<T> own_;
  bool has_fixed_cells_;  ///< some cells of the block keep their values
  T* published_;          ///< planes that lanes read neighbours from, in turn
  rest rest_;
  decltype(std::declval<Team&>().template per_lane<unsigned>()) marks_;
  decltype(std::declval<Team&>().template per_lane<halo_place>()) halo_;
  decltype(std::declval<Team&>()
               .template per_lane<int>()) first_;  ///< cell, in a plane of the field
  registers r_;
};

}  // namespace dwell

#include "dwell/execution/stencil/engines/reference_block3d/pass.hpp"
