// SPDX-License-Identifier: MIT
// The brick of one team in three dimensions, which stays with it for the whole run. Lanes are 32
// across x, a warp below the other along y; a lane has a column of small patches along z, of which
// the first stay in registers, the next in scratch, and the rest pass through from memory that the
// team alone touches.
//
// A step goes through the planes in order. The patch of every lane enters a window of 2R + 1
// planes; it is shown to the other lanes in a plane of scratch, with a rim that comes from the
// field; the lanes meet; what the patch becomes goes back to where it was, and those of its cells
// that other teams need, R from a face, into the other copy of the field. One meeting per plane is
// enough: a slot is written again only by lanes which have met since all have read it. Kernels for
// passes in another order (sweep_plan.hpp) begin anew, after one more meeting, where the
// planes that follow do not lie beside those before.
//
// Between steps teams only signal and wait. A team writes a copy of the field again two steps
// later: by then every neighbour has signalled the step in which it read it.
#pragma once
#include "dwell/execution/perks/brick_rim.hpp"
#include "dwell/execution/perks/kept_layers.hpp"
#include "dwell/execution/perks/perks_rungs.hpp"

namespace dwell {

/// RZ planes are in registers. Orders: a pass takes the planes in the order of the plan, which is
/// not always from the first to the last.
template <class S, class T, class Team, int RZ, bool Orders>
class perks_brick {
 public:
  DWELL_FN perks_brick(Team& team, const sweep_call<S, T>& a)
      : team_(team),
        a_(a),
        own_(a, team.worker()),
        freezes_(own_.freezes(a)),
        shown_(team.template scratch<T>(slots * plane::values)),
        rest_(layers_of<rest>(team, a)),
        stash_(Orders
                   ? team.template scratch<T>(perks_stash_layers<S>(a.plan) * perks_layer_values<S>)
                   : nullptr,
               perks_stash_layers<S>(a.plan), nullptr, 0, nullptr, false),
        start_(own_.nz - RZ) {
    team.each([&](int l) {
      marks_[l] = rim::marks_of(a, own_, l);
      rim_[l] = rim::places_of(a, own_, l);
      first_[l] = (own_.y0 + top(l)) * a.size.x + own_.x0 + left(l);
    });
  }

  /// The whole brick from a copy of the field.
  DWELL_FN void load(const T* field) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int z = 0; z < RZ; ++z) r_[l].v[z] = from_field(l, field, z);
      for (int z = RZ; z < own_.nz; ++z) rest_.put(l, z - RZ, from_field(l, field, z));
    });
  }

  /// `steps` is 1: rims are one step deep. Reads the rim from one copy of the field and leaves the
  /// brick's faces, or all of it, in the other.
  DWELL_FN void advance(int, const T* from, T* to, bool whole) {
    const journey way{from, to, whole, own_.z0 * stride()};
    if constexpr (Orders)
      pass_in_order(way);
    else
      pass_down(way, own_.nz - RZ);
  }

  /// All of the brick into a copy of the field.
  DWELL_FN void publish(T* field) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int z = 0; z < RZ; ++z) hand_over(field + in_field(l, z), r_[l].v[z], owned(marks_[l]));
      for (int z = RZ; z < own_.nz; ++z)
        hand_over(field + in_field(l, z), rest_.get(l, z - RZ), owned(marks_[l]));
    });
  }

 private:
  static constexpr int R = radius_of<S>, RX = perks_across<S>, RY = perks_down<S>;
  static constexpr int N = RX * RY;  // cells of a patch
  static constexpr bool star = is_star<S>;
  static constexpr int ahead = star ? 0 : R;  // planes shown beyond the one that is computed
  static constexpr int slots = perks_plane_slots<S>;
  using plane = perks_plane<S>;
  using rim = brick_rim<S, T>;
  static_assert(Team::lanes() == perks_lanes && (RZ == 0 || RZ >= R) && N <= 8);

  using rim_place = typename rim::places;
  using rest = perks_layers<S, T>;
  using patch = typename rest::layer;
  struct column {
    patch v[RZ > 0 ? RZ : 1];
  };
  struct window {
    patch here[2 * R + 1];
  };
  struct rim_values {
    T v[rim::share];
  };
  /// Of the planes that are shown next. Planes are worked on faster than L2 answers.
  static constexpr int rims_ahead = 3;
  struct rim_queue {
    rim_values next[rims_ahead];
  };
  struct journey {
    const T* from;
    T* to;
    bool whole;
    std::ptrdiff_t at;  ///< where the plane that is computed begins in the field
  };
  /// Up: planes come into the window from the last to the first.
  template <bool Up>
  struct near_patch {
    const window& w;
    const T* const (&planes)[2 * ahead + 1];
    int j, i;
    DWELL_FN T operator()(int dz, int dy, int dx) const {
      const int y = j + dy, x = i + dx;
      if (0 <= y && y < RY && 0 <= x && x < RX) return w.here[(Up ? -dz : dz) + R].v[y * RX + x];
      return planes[star ? 0 : dz + R][plane::step(y, x)];
    }
  };

  /// Which planes a pass takes, and in what order: see brick_pass.hpp.
  DWELL_FN void pass_in_order(journey way);
  DWELL_FN void pass_down(journey way, int last);
  DWELL_FN void pass_up(journey way);
  DWELL_FN void rest_from(journey way, int first);
  DWELL_FN int next_start();
  template <bool Up, class Windows, class Rims, class Get>
  DWELL_FN void enter(int first, const journey& way, Windows& win, Rims& rims, Get&& get);
  template <bool Up, class Windows, class Rims, class Get, class Put>
  DWELL_FN void next_plane(int z, journey& way, Windows& win, Rims& rims, Get&& get, Put&& put);

  DWELL_FN static int left(int l) { return l % 32 * RX; }
  DWELL_FN static int top(int l) { return l / 32 * RY; }
  DWELL_FN T* slot(int z) const { return shown_ + (z & (slots - 1)) * plane::values; }

  static constexpr unsigned all_cells = (1u << N) - 1;
  DWELL_FN static unsigned owned(unsigned marks) { return marks & 255; }
  DWELL_FN static unsigned needed(unsigned marks) { return marks >> 8 & 255; }  ///< by other teams
  DWELL_FN static unsigned frozen(unsigned marks) { return marks >> 16; }

  DWELL_FN int place(int n, int i) const { return brick_share<T>::place(a_.edge, i, n); }
  /// Cells of a plane of the field.
  DWELL_FN std::ptrdiff_t stride() const {
    return static_cast<std::ptrdiff_t>(a_.size.y) * a_.size.x;
  }
  /// Where plane z of the brick, or one above or below it, begins in the field.
  DWELL_FN std::ptrdiff_t plane_in_field(int z) const {
    return place(a_.size.z, own_.z0 + z) * stride();
  }
  /// The lane's first cell of plane z, in the field.
  DWELL_FN std::ptrdiff_t in_field(int l, int z) { return plane_in_field(z) + first_[l]; }

  DWELL_FN rim_values rim_at(int l, const T* from, int z) {
    return rim_from(l, from + plane_in_field(z));
  }
  DWELL_FN rim_values rim_from(int l, const T* p) {
    rim_values v;
    DWELL_UNROLL
    for (int k = 0; k < rim::share; ++k) v.v[k] = team_.taken(p + rim_[l].from[k]);
    return v;
  }

  /// Cells that the team does not own stand for its last ones.
  DWELL_FN patch from_field(int l, const T* field, int z) {
    patch v;
    const T* p = field + plane_in_field(z);
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j) {
      const int y = top(l) + j < own_.ny ? top(l) + j : own_.ny - 1;
      const T* row = p + (own_.y0 + y) * a_.size.x + own_.x0;
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i)
        v.v[j * RX + i] = team_.taken(row + (left(l) + i < own_.nx ? left(l) + i : own_.nx - 1));
    }
    return v;
  }
  /// Plane z >= RZ, which may be one above the brick, in a part of a pass that takes the first
  /// `last` of those that are not in registers; once each, in order. The ones after these have been
  /// computed by then: the first of them, as they were, are in the stash.
  DWELL_FN patch rest_at(int l, const T* from, int z, int last) {
    if constexpr (Orders)
      if (z >= RZ + last && z < own_.nz) return stash_.get(l, z - RZ - last);
    return z < own_.nz ? rest_.take(team_, l, z - RZ) : from_field(l, from, z);
  }
  /// Plane z >= 0, which the compiler knows; plans with registers have R more planes than these.
  DWELL_FN patch patch_at(int l, const T* from, int z, int last) {
    if constexpr (RZ > 0)
      if (z < RZ) return r_[l].v[z < RZ ? z : 0];
    if constexpr (RZ > 0 && !Orders) return rest_.take(team_, l, z - RZ);
    return rest_at(l, from, z, last);
  }

  DWELL_FN static void push(window& w, const patch& v) {
    DWELL_UNROLL
    for (int k = 0; k < 2 * R; ++k) w.here[k] = w.here[k + 1];
    w.here[2 * R] = v;
  }
  DWELL_FN void show(int l, int z, const patch& v, const rim_values& rim) {
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
    for (int k = 0; k < rim::share; ++k)
      if (rim_[l].to[k] >= 0) s[rim_[l].to[k]] = rim.v[k];
  }

  /// Of a patch that the team owns in part, the other cells may be of the rim.
  DWELL_FN void complete(int l, int z, patch& v) {
    if (owned(marks_[l]) == all_cells) return;
    const T* p = slot(z) + plane::at(top(l), left(l));
    DWELL_UNROLL
    for (int k = 0; k < N; ++k) v.v[k] = p[plane::step(k / RX, k % RX)];
  }

  DWELL_FN void hand_over(T* p, const patch& v, unsigned which) {
    if (which == 0) return;
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j, p += a_.size.x) {
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i)
        if (which >> (j * RX + i) & 1) team_.hand_over(p + i, v.v[j * RX + i]);
    }
  }
  DWELL_FN void add_source(const T* p, patch& v, unsigned which) {
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j, p += a_.size.x) {
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i)
        if (which >> (j * RX + i) & 1) v.v[j * RX + i] += p[i];
    }
  }
  DWELL_FN void keep_frozen(int l, int z, const patch& old, patch& v) {
    const int gz = own_.z0 + z;
    const unsigned which = gz < a_.inner.z0 || gz >= a_.inner.z1 ? ~0u : frozen(marks_[l]);
    if (which == 0) return;
    DWELL_UNROLL
    for (int k = 0; k < N; ++k) v.v[k] = which >> k & 1 ? old.v[k] : v.v[k];
  }

  using registers = decltype(std::declval<Team&>().template per_lane<column>());
  Team& team_;
  const sweep_call<S, T>& a_;
  brick_share<T> own_;
  bool freezes_;  ///< some cells of the brick keep their values
  T* shown_;      ///< planes that lanes read neighbours from, in turn
  rest rest_, stash_;
  int start_, ups_ = 0;  ///< of passes that are not always the same: where the next one begins
  decltype(std::declval<Team&>().template per_lane<unsigned>()) marks_;
  decltype(std::declval<Team&>().template per_lane<rim_place>()) rim_;
  decltype(std::declval<Team&>()
               .template per_lane<int>()) first_;  ///< cell, in a plane of the field
  registers r_;
};

}  // namespace dwell

#include "dwell/execution/perks/brick_pass.hpp"
