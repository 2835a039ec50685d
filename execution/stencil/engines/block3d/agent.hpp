// SPDX-License-Identifier: MIT
// The block of one team in three dimensions, fully cached: the first RZ planes in registers, the
// others in scratch. Lanes lie as in engines/reference_block3d/agent.hpp, 32 across x and a warp
// below the other, and own all cells of their tile or none. Only cells R from a face pass through
// the field, where neighbouring teams read them; a step computes no halo.
//
// A step goes through the planes from R below the block to R above it. A plane that comes in is
// added to the sums of the 2R + 1 planes that its taps reach (partial_sums), and completes the one
// R behind it, which goes back to where it was. A lane's view of a plane: its own tile; columns
// beside it from neighbouring lanes; rows above and below, of the neighbouring warps, in the plane
// itself if that is in scratch, else where they have published it; and around the block a halo,
// which asynchronous copies bring from the field some planes ahead.
//
// Who reads what after which barrier: the lanes meet once per plane. Before barrier z a warp has
// published plane z, if it is not in scratch, in one of two places in turn, and its copies of z's
// halo have arrived. After it, lanes read the cells of plane z that others hold. Plane z - R is put
// back after barrier z: others have read it after barrier z - R, and have come to a later one
// since. Likewise they have read the place where plane z - 2 was published, and the halo of plane
// z - 1, whose place the copy that is begun then fills.
//
// Planes and columns of a fixed border are in no block: they come in by the halos, as they were at
// the start, from either copy of the field. Rows of the border are in blocks, and are not written.
//
// Between steps teams signal and wait, as in engines/reference_block3d/agent.hpp.
#pragma once
#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/cell/partial_sums.hpp"
#include "dwell/execution/stencil/engines/block3d/halo.hpp"
#include "dwell/execution/stencil/engines/block3d/sizes.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"

namespace dwell {

template <class S, class T, class Team, int RZ>
class block3d_agent {
 public:
  DWELL_FN block3d_agent(Team& team, const stencil_call<S, T>& a)
      : team_(team),
        a_(a),
        own_(a.plan, team.worker(), cells_of_blocks(a.size, a.inner, a.edge), RX, RY),
        plane_cells_(static_cast<unsigned>(a.size.y) * static_cast<unsigned>(a.size.x)),
        begin_(static_cast<unsigned>(own_.z0) * plane_cells_),
        published_(team.template scratch<T>(2 * block_published_values<S>)),
        halos_(team.template scratch<T>(ring * halo::values)),
        cached_(team.template scratch<T>(a.plan.scratch_rows * plane_values)) {
    team.each([&](int l) { lane_[l] = facts_of(l); });
  }

  /// The whole block from a copy of the field.
  DWELL_FN void load(const T* field) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int z = 0; z < RZ; ++z) r_[l].v[z] = from_field(l, field, z);
      for (int z = RZ; z < own_.nz; ++z) write(cached_at(l, z), from_field(l, field, z), all_rows);
    });
  }

  /// `steps` is 1. Reads the halo from one copy of the field and leaves the block's faces, or all
  /// of it, in the other.
  DWELL_FN void advance(int steps, const T* from, T* to, bool whole);

  /// All of the block into a copy of the field.
  DWELL_FN void publish(T* field) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int z = 0; z < RZ; ++z) store(l, field, z, r_[l].v[z], lane_[l].rows);
      for (int z = RZ; z < own_.nz; ++z) store(l, field, z, read(cached_at(l, z)), lane_[l].rows);
    });
  }

 private:
  static constexpr int R = radius_of<S>, RX = perks_across<S>, RY = perks_down<S>, N = RX * RY;
  static constexpr bool star = is_star<S>;
  static constexpr int width = 32 * RX, plane_values = perks_layer_values<S>;
  static constexpr int ring = block_halos_ahead + 1;
  static constexpr int edge = block_edge_rows<S>;  ///< rows that a warp publishes
  static constexpr unsigned all_rows = (1u << RY) - 1;
  static_assert(Team::lanes() == perks_lanes && RZ >= R && R <= RX && R <= RY);

  struct tile_of_lane {
    static constexpr int across = RX, down = RY, cells = N;
  };
  using halo = block_halo<S, T>;
  using view = neighbour_view<S, T, tile_of_lane>;
  using lane_sums = partial_sums<S, T, tile_of_lane>;
  using tile = lane_layer<T, N>;
  using pair = typename halo::piece;
  template <int Planes>
  struct column {
    tile v[Planes];
  };
  struct lane_facts {
    unsigned first;  ///< cell of a plane of the field
    unsigned rows;   ///< rows of the tile, a bit each: rows that steps change; from bit RY on, rows
                     ///< that other teams need of every plane
    typename halo::place piece;  ///< piece of the halo, that it fetches
  };
  struct step_fields {
    const T* from;
    T* to;
    bool whole;
  };
  using registers = decltype(std::declval<Team&>().template per_lane<column<RZ>>());

  /// Where lanes find the rows of a plane that others hold. Of planes outside the block a star
  /// needs no more than the cells above or below a lane's own.
  enum class rows_beyond { none, published, in_scratch };
  static constexpr rows_beyond outer_planes =
      is_star<S> ? rows_beyond::none : rows_beyond::published;

  // Where a plane that is complete goes; rows that keep their values are there already.
  struct nowhere {
    static constexpr bool exists = false;
  };
  struct in_registers {
    static constexpr bool exists = true;
    registers& r;
    int z;
    DWELL_FN void put(int l, const tile& v, unsigned rows) const {
      DWELL_UNROLL
      for (int c = 0; c < N; ++c)
        if (rows >> c / RX & 1u) r[l].v[z].v[c] = v.v[c];
    }
  };
  struct in_scratch {
    static constexpr bool exists = true;
    const block3d_agent& block;
    int z;
    DWELL_FN void put(int l, const tile& v, unsigned rows) const {
      write(block.cached_at(l, z), v, rows);
    }
  };

  DWELL_FN static int left(int l) { return l % 32 * RX; }
  DWELL_FN static int top(int l) { return l / 32 * RY; }

  DWELL_FN lane_facts facts_of(int l) {
    lane_facts me{};
    const bool mine = left(l) < own_.nx && top(l) < own_.ny;
    // A lane without cells reads cells of its own team, which are never used.
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
    me.piece = halo::place_of(a_, own_, l);
    return me;
  }

  // Fully cached fields have few cells: their numbers are of 32 bits.
  /// Where plane z of the block begins in the field.
  DWELL_FN unsigned plane_at(int z) const {
    return begin_ + static_cast<unsigned>(z) * plane_cells_;
  }
  /// Where any plane that the block needs begins.
  DWELL_FN unsigned any_plane_at(int z) const {
    if (within(z, own_.nz)) return plane_at(z);
    return static_cast<unsigned>(block_subdomain<T>::place(a_.edge, own_.z0 + z, a_.size.z)) *
           plane_cells_;
  }
  DWELL_FN unsigned row_at(int l, unsigned plane, int j) {
    return plane + lane_[l].first + static_cast<unsigned>(j * a_.size.x);
  }
  DWELL_FN tile from_field(int l, const T* field, int z) {
    tile v;
    const unsigned plane = any_plane_at(z);
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j) get_row(v, j, field + row_at(l, plane, j));
    return v;
  }
  DWELL_FN void store(int l, T* field, int z, const tile& v, unsigned rows) {
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j)
      if (rows >> j & 1u) put_row(field + row_at(l, plane_at(z), j), v, j);
  }
  DWELL_FN static void put_row(T* p, const tile& v, int j) {
    pair some;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) some.v[i] = v.v[j * RX + i];
    *reinterpret_cast<pair*>(p) = some;
  }
  DWELL_FN static void get_row(tile& v, int j, const T* p) {
    const pair some = *reinterpret_cast<const pair*>(p);
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[j * RX + i] = some.v[i];
  }

  DWELL_FN T* cached_at(int l, int z) const {
    return cached_ + (z - RZ) * plane_values + top(l) * width + left(l);
  }
  DWELL_FN static tile read(const T* p) {
    tile v;
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j) get_row(v, j, p + j * width);
    return v;
  }
  DWELL_FN static void write(T* p, const tile& v, unsigned rows) {
    DWELL_UNROLL
    for (int j = 0; j < RY; ++j)
      if (rows >> j & 1u) put_row(p + j * width, v, j);
  }

  /// The lane's columns of the first row that a warp publishes of plane z.
  DWELL_FN T* published_at(int l, int z, int warp) const {
    return published_ + (z & 1) * block_published_values<S> + warp * edge * width + left(l);
  }
  DWELL_FN void publish(int l, int z, const tile& v) {
    T* p = published_at(l, z, l / 32);
    DWELL_UNROLL
    for (int e = 0; e < edge; ++e) put_row(p + e * width, v, e < R ? e : RY - edge + e);
  }
  DWELL_FN T* halo_at(int z) const { return halos_ + (z & (ring - 1)) * halo::values; }
  /// The lane's piece of the halo of plane z, if the step needs that halo; one group of fetches for
  /// each plane.
  DWELL_FN void fetch_halo(int l, const T* from, int z) {
    if (within(z, own_.nz))
      halo::template fetch<Team>(lane_[l].piece, halo_at(z), from, plane_at(z));
    else if (!star && within(z + R, own_.nz + 2 * R))
      halo::template fetch<Team>(lane_[l].piece, halo_at(z), from, any_plane_at(z));
    Team::close_fetches();
  }

  /// Plane z comes in, `next`, which then is plane z + 1; z - R is complete.
  template <rows_beyond Beyond, class Sums, class Tiles, class Place, class Then>
  DWELL_FN void add_plane(int z, const step_fields& fields, Sums& sums, Tiles& next,
                          const Place& place, const Then& then);
  /// Row k above (k < 0) or below the lane's tile in plane z, of another warp or of the halo.
  template <rows_beyond Beyond>
  DWELL_FN pair beyond(int l, int z, int k) const {
    if constexpr (Beyond == rows_beyond::none) return {};
    const int warp = l / 32;
    const T* p;
    if (k < 0 ? warp == 0 : top(l) + RY >= own_.ny)
      p = halo::row(halo_at(z), k < 0 ? k + R : k - RY + R) + left(l);
    else if constexpr (Beyond == rows_beyond::published)
      p = k < 0 ? published_at(l, z, warp - 1) + (edge + k) * width
                : published_at(l, z, warp + 1) + (k - RY) * width;
    else
      p = cached_at(l, z) + k * width;
    return *reinterpret_cast<const pair*>(p);
  }

  Team& team_;
  const stencil_call<S, T>& a_;
  block_subdomain<T> own_;
  unsigned plane_cells_, begin_;  ///< cells of a field's plane, begin of the block
  T *published_, *halos_;
  T* cached_;  ///< last, so that the compiler knows where all others lie
  decltype(std::declval<Team&>().template per_lane<lane_facts>()) lane_;
  registers r_;
};

}  // namespace dwell

#include "dwell/execution/stencil/engines/block3d/step.hpp"
