// SPDX-License-Identifier: MIT
// The brick of one team in three dimensions that is on the chip whole: the first RZ planes in
// registers, the others in scratch. Lanes lie as in perks_brick.hpp, 32 across x and a warp below
// the other, and own all cells of their patch or none. Only cells R from a face pass through the
// field, where neighbouring teams read them; a step computes no rim.
//
// A step goes through the planes from R below the brick to R above it. A plane that comes in gives
// what its taps reach to the sums of 2R + 1 planes (wave_sums), and completes the one R behind it,
// which goes back to where it was. What a lane sees of a plane: its own patch; columns beside it by
// shift; rows above and below, of the neighbouring warps, in the plane itself if that is in
// scratch, else where they have shown it; and around the brick a rim, which asynchronous copies
// bring from the field some planes ahead.
//
// Who reads what after which meeting: the lanes meet once per plane. Before meeting z a warp has
// shown plane z, if it is not in scratch, in one of two places in turn, and its copies of z's rim
// have arrived. After it, lanes read of plane z what others hold. Plane z - R is put back after
// meeting z: others have read it after meeting z - R, and have come to a later one since. So have
// they read the place where plane z - 2 was shown, and the rim of plane z - 1, whose place the copy
// that is begun then fills.
//
// Planes and columns of a fixed border are in no brick: they come in by the rims, as they were at
// the start, from either copy of the field. Rows of it are in bricks, and are not written.
//
// Between steps teams signal and wait, as in perks_brick.hpp.
#pragma once
#include "dwell/execution/core/ranges.hpp"
#include "dwell/execution/perks/perks_rungs.hpp"
#include "dwell/execution/perks/resident_rim.hpp"
#include "dwell/execution/perks/wave_level.hpp"

namespace dwell {

template <class S, class T, class Team, int RZ>
class resident_brick {
 public:
  DWELL_FN resident_brick(Team& team, const sweep_call<S, T>& a)
      : team_(team),
        a_(a),
        own_(a.plan, team.worker(), cells_of_bricks(a.size, a.inner, a.edge), RX, RY),
        plane_cells_(static_cast<unsigned>(a.size.y) * static_cast<unsigned>(a.size.x)),
        begin_(static_cast<unsigned>(own_.z0) * plane_cells_),
        shown_(team.template scratch<T>(2 * resident_shown_values<S>)),
        rims_(team.template scratch<T>(ring * rim::values)),
        kept_(team.template scratch<T>(a.plan.scratch_rows * plane_values)) {
    team.each([&](int l) { lane_[l] = facts_of(l); });
  }

  /// The whole brick from a copy of the field.
  DWELL_FN void load(const T* field) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int z = 0; z < RZ; ++z) r_[l].v[z] = from_field(l, field, z);
      for (int z = RZ; z < own_.nz; ++z) write(kept_at(l, z), from_field(l, field, z), all_rows);
    });
  }

  /// `steps` is 1. Reads the rim from one copy of the field and leaves the brick's faces, or all of
  /// it, in the other.
  DWELL_FN void advance(int steps, const T* from, T* to, bool whole);

  /// All of the brick into a copy of the field.
  DWELL_FN void publish(T* field) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int z = 0; z < RZ; ++z) store(l, field, z, r_[l].v[z], lane_[l].rows);
      for (int z = RZ; z < own_.nz; ++z) store(l, field, z, read(kept_at(l, z)), lane_[l].rows);
    });
  }

 private:
  static constexpr int R = radius_of<S>, RX = perks_across<S>, RY = perks_down<S>, N = RX * RY;
  static constexpr bool star = is_star<S>;
  static constexpr int width = 32 * RX, plane_values = perks_layer_values<S>;
  static constexpr int ring = resident_rims_ahead + 1;
  static constexpr int edge = resident_edge_rows<S>;  ///< rows that a warp shows
  static constexpr unsigned all_rows = (1u << RY) - 1;
  static_assert(Team::lanes() == perks_lanes && RZ >= R && R <= RX && R <= RY);

  struct patch_of_lane {
    static constexpr int across = RX, down = RY, cells = N;
  };
  using rim = resident_rim<S, T>;
  using view = wave_view<S, T, patch_of_lane>;
  using level = wave_sums<S, T, patch_of_lane>;
  using patch = lane_layer<T, N>;
  using pair = typename rim::piece;
  template <int Planes>
  struct column {
    patch v[Planes];
  };
  struct lane_facts {
    unsigned first;             ///< cell of a plane of the field
    unsigned rows;              ///< of the patch, a bit each: those that steps change; from bit RY
                                ///< on, those of them that other teams need of every plane
    typename rim::place piece;  ///< of the rim, that it fetches
  };
  struct journey {
    const T* from;
    T* to;
    bool whole;
  };
  using registers = decltype(std::declval<Team&>().template per_lane<column<RZ>>());

  /// Where lanes find what others hold of a plane. Of planes outside the brick a star needs no more
  /// than what lies above or below a lane's own cells.
  enum class look { at_nothing, shown, in_scratch };
  static constexpr look outer_planes = is_star<S> ? look::at_nothing : look::shown;

  // Where a plane that is complete goes; rows that keep their values are there already.
  struct nowhere {
    static constexpr bool exists = false;
  };
  struct in_registers {
    static constexpr bool exists = true;
    registers& r;
    int z;
    DWELL_FN void put(int l, const patch& v, unsigned rows) const {
      DWELL_UNROLL
      for (int c = 0; c < N; ++c)
        if (rows >> c / RX & 1u) r[l].v[z].v[c] = v.v[c];
    }
  };
  struct in_scratch {
    static constexpr bool exists = true;
    const resident_brick& brick;
    int z;
    DWELL_FN void put(int l, const patch& v, unsigned rows) const {
      write(brick.kept_at(l, z), v, rows);
    }
  };

  DWELL_FN static int left(int l) { return l % 32 * RX; }
  DWELL_FN static int top(int l) { return l / 32 * RY; }

  DWELL_FN lane_facts facts_of(int l) {
    lane_facts me{};
    const bool mine = left(l) < own_.nx && top(l) < own_.ny;
    // What a lane without cells reads is never used, and nobody else's.
    me.first = static_cast<unsigned>(mine ? (own_.y0 + top(l)) * a_.size.x + own_.x0 + left(l)
                                          : own_.y0 * a_.size.x + own_.x0);
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j) {
      const int y = top(l) + j;
      const bool beside = left(l) < R || left(l) + RX > own_.nx - R;
      const int gy = own_.y0 + y;
      const bool moves =
          mine && (a_.edge != boundary::fixed || (a_.inner.y0 <= gy && gy < a_.inner.y1));
      const bool needed = moves && (beside || y < R || y >= own_.ny - R);
      me.rows |= static_cast<unsigned>(moves) << j | static_cast<unsigned>(needed) << (RY + j);
    }
    me.piece = rim::place_of(a_, own_, l);
    return me;
  }

  // Fields that are on the chip whole have few cells: their numbers are of 32 bits.
  /// Where plane z of the brick begins in the field.
  DWELL_FN unsigned plane_at(int z) const {
    return begin_ + static_cast<unsigned>(z) * plane_cells_;
  }
  /// The same of any plane that the brick needs.
  DWELL_FN unsigned any_plane_at(int z) const {
    if (within(z, own_.nz)) return plane_at(z);
    return static_cast<unsigned>(brick_share<T>::place(a_.edge, own_.z0 + z, a_.size.z)) *
           plane_cells_;
  }
  DWELL_FN unsigned row_at(int l, unsigned plane, int j) {
    return plane + lane_[l].first + static_cast<unsigned>(j * a_.size.x);
  }
  DWELL_FN patch from_field(int l, const T* field, int z) {
    patch v;
    const unsigned plane = any_plane_at(z);
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j) get_row(v, j, field + row_at(l, plane, j));
    return v;
  }
  DWELL_FN void store(int l, T* field, int z, const patch& v, unsigned rows) {
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j)
      if (rows >> j & 1u) put_row(field + row_at(l, plane_at(z), j), v, j);
  }
  DWELL_FN static void put_row(T* p, const patch& v, int j) {
    pair some;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) some.v[i] = v.v[j * RX + i];
    *reinterpret_cast<pair*>(p) = some;
  }
  DWELL_FN static void get_row(patch& v, int j, const T* p) {
    const pair some = *reinterpret_cast<const pair*>(p);
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[j * RX + i] = some.v[i];
  }

  DWELL_FN T* kept_at(int l, int z) const {
    return kept_ + (z - RZ) * plane_values + top(l) * width + left(l);
  }
  DWELL_FN static patch read(const T* p) {
    patch v;
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j) get_row(v, j, p + j * width);
    return v;
  }
  DWELL_FN static void write(T* p, const patch& v, unsigned rows) {
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j)
      if (rows >> j & 1u) put_row(p + j * width, v, j);
  }

  /// The lane's columns of the first row that a warp shows of plane z.
  DWELL_FN T* shown_at(int l, int z, int warp) const {
    return shown_ + (z & 1) * resident_shown_values<S> + warp * edge * width + left(l);
  }
  DWELL_FN void show(int l, int z, const patch& v) {
    T* p = shown_at(l, z, l / 32);
    DWELL_UNROLL
    for (int e = 0; e < edge; ++e) put_row(p + e * width, v, e < R ? e : RY - edge + e);
  }
  DWELL_FN T* rim_at(int z) const { return rims_ + (z & (ring - 1)) * rim::values; }
  /// The lane's piece of the rim of plane z, if a turn asks for that; one group of fetches for each
  /// plane.
  DWELL_FN void fetch_rim(int l, const T* from, int z) {
    if (within(z, own_.nz))
      rim::template fetch<Team>(lane_[l].piece, rim_at(z), from, plane_at(z));
    else if (!star && within(z + R, own_.nz + 2 * R))
      rim::template fetch<Team>(lane_[l].piece, rim_at(z), from, any_plane_at(z));
    Team::close_fetches();
  }

  /// Plane z comes in, `next`, which then is plane z + 1; z - R is complete.
  template <look Look, class Sums, class Patches, class Place, class Then>
  DWELL_FN void turn(int z, const journey& way, Sums& sums, Patches& next, const Place& place,
                     const Then& then);
  /// Row k above (k < 0) or below the lane's patch in plane z, of another warp or of the rim.
  template <look Look>
  DWELL_FN pair beyond(int l, int z, int k) const {
    if constexpr (Look == look::at_nothing) return {};
    const int warp = l / 32;
    const T* p;
    if (k < 0 ? warp == 0 : top(l) + RY >= own_.ny)
      p = rim::row(rim_at(z), k < 0 ? k + R : k - RY + R) + left(l);
    else if constexpr (Look == look::shown)
      p = k < 0 ? shown_at(l, z, warp - 1) + (edge + k) * width
                : shown_at(l, z, warp + 1) + (k - RY) * width;
    else
      p = kept_at(l, z) + k * width;
    return *reinterpret_cast<const pair*>(p);
  }

  Team& team_;
  const sweep_call<S, T>& a_;
  brick_share<T> own_;
  unsigned plane_cells_, begin_;  ///< of the field; where the brick's first plane begins
  T *shown_, *rims_;
  T* kept_;  ///< last, so that the compiler knows where all others lie
  decltype(std::declval<Team&>().template per_lane<lane_facts>()) lane_;
  registers r_;
};

}  // namespace dwell

#include "dwell/execution/perks/resident_pass.hpp"
