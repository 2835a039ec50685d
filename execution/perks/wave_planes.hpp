// SPDX-License-Identifier: MIT
// The planes that one warp takes through a wave in three dimensions (perks_wave.hpp), each a patch
// of 32 x 16 cells: its own cells, and `rim` around them on all sides, which their owners have
// published in a copy of the field. Of its own cells some planes stay in scratch; those of the other
// planes live in the field. Every lane fetches what is not its own or does not stay, some planes
// before it is due: into the place where the plane stays, else into a ring. In every second team
// the last planes stay: while some teams work on what they keep, others keep memory at work.
#pragma once
#include "dwell/execution/core/sweep_step.hpp"
#include "dwell/execution/perks/kept_layers.hpp"
#include "dwell/execution/perks/perks_rungs.hpp"
#include "dwell/execution/perks/wave_share.hpp"

namespace dwell {

template <class S, class T, class Team>
class wave_planes {
 public:
  using patch = wave_patch<S, T>;
  using layer = lane_layer<T, patch::cells>;
  using share = wave_share<S, T>;
  static constexpr int RX = patch::across, RY = patch::down, Ahead = fetch_ahead<3>;

  DWELL_FN wave_planes(Team& team, const sweep_call<S, T>& a)
      : a_(a),
        rim_(a.plan.depth * radius_of<S>),
        kept_(team.template scratch<T>(a.plan.scratch_rows * values)),
        ring_(team.template scratch<T>(Ahead * values)),
        kept_first_(team.worker() % 2 != 0 ? a.plan.streamed_rows : 0),
        columns_(team.template scratch<int>(perks_warps * patch::width)),
        lines_(team.template scratch<int>(perks_warps * patch::height)) {
    team.section([&](int l) {
      for (int i = l; i < perks_warps * patch::width; i += perks_lanes) {
        const share own(a, team.worker(), i / patch::width);
        columns_[i] = place(own.left(0) + i % patch::width, own.x0, own.x1, a.size.x);
      }
      for (int i = l; i < perks_warps * patch::height; i += perks_lanes) {
        const share own(a, team.worker(), i / patch::height);
        const int y = place(own.top(0) + i % patch::height, own.y0, own.y1, a.size.y);
        lines_[i] = y < 0 ? -1 : y * a.size.x;
      }
    });
    team.each([&](int l) {
      const share own(a, team.worker(), l / 32);
      const int n = own.layers(), left = own.left(l), top = own.top(l);
      unsigned rows = 0, near = 0;
      DWELL_UNROLL
      for (int k = 0; k < RY; ++k) {
        const int y = top + k;
        const bool mine = y >= own.y0 && y < own.y1;
        rows |= static_cast<unsigned>(mine) << k;
        near |= static_cast<unsigned>(mine && (y < own.y0 + rim_ || y >= own.y1 - rim_)) << k;
      }
      const bool beside = left < own.x0 + rim_ || left + RX > own.x1 - rim_;
      const int stay = n - kept_first_ < a.plan.scratch_rows ? n - kept_first_ : a.plan.scratch_rows;
      lane_facts& me = lane_[l];
      me.plane = own.first;
      me.planes = n;
      me.kept = stay > 0 ? stay : 0;
      me.column = column(l, 0);
      me.mine = own.owns(l) ? rows : 0;
      me.shown = own.shares(l) ? rows : 0;
      me.always = !own.shares(l) ? 0 : !own.owns(l) || beside ? rows : near;
      me.left = left;
      me.x0 = own.x0;
      me.x1 = own.x1;
    });
  }
  /// Rows of the field consist of whole pieces, and no rim goes backwards as in a mirror.
  DWELL_FN bool neat(const share&) const {
    return a_.size.x % RX == 0 && a_.edge != boundary::reflect;
  }
  /// What stays of the lane's own planes, from a copy of the field.
  DWELL_FN void load(int l, const T* field) {
    const lane_facts& me = lane_[l];
    for (int r = kept_first_; r < kept_first_ + me.kept; ++r)
      for (int k = 0; k < RY; ++k)
        for (int i = 0; (me.mine >> k & 1u) && i < RX; ++i)
          row_of(kept_at(l, r), k)[i] = field[own_cell(l, r, k, i)];
  }
  /// All that is the lane's own into a copy of the field; `last` has what it keeps nowhere.
  DWELL_FN void publish(int l, const T* last, T* field) {
    const lane_facts& me = lane_[l];
    for (int r = 0; r < me.planes; ++r)
      for (int k = 0; k < RY; ++k)
        for (int i = 0; (me.shown >> k & 1u) && i < RX; ++i)
          if (owns_column(l, i)) {
            const bool here = stays(l, r) && (me.mine >> k & 1u);
            const unsigned at = own_cell(l, r, k, i);
            field[at] = here ? row_of(kept_at(l, r), k)[i] : last[at];
          }
  }

  /// A pass reads one copy of the field and shows others what they need, or all that the team owns,
  /// in another. Plane 0 of a pass is the one `rim` above the warp's first.
  DWELL_FN void begin(Team&, const T* from, T* to, bool whole) {
    field_ = from;
    to_ = to;
    whole_ = whole;
  }
  /// Plane j of the pass is under way from here on; one group of fetches each.
  template <bool Neat>
  DWELL_FN void fetch(int l, int j) {
    const lane_facts& me = lane_[l];
    const int r = j - rim_;
    const bool kept = stays(l, r), there = r < me.planes + rim_ && me.planes > 0;
    const unsigned have = kept ? me.mine : 0u;
    T* to = kept ? kept_at(l, r) : slot(l, j);
    const T* plane = field_ + plane_in_field(me.plane + r);
    const int* lines = lines_of(l);
    DWELL_UNROLL
    for (int k = 0; k < RY; ++k) {
      const int line = lines[k];
      const bool wanted = there && line >= 0 && !(have >> k & 1u);
      if constexpr (Neat) {
        const bool used = wanted && me.column >= 0;
        fetch_as<piece>(used, row_of(to, k), plane + (used ? line + me.column : 0));
      } else {
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i) {
          const bool used = wanted && column(l, i) >= 0;
          fetch_as<T>(used, row_of(to, k) + i, plane + (used ? line + column(l, i) : 0));
        }
      }
    }
    Team::close_fetches();
  }
  /// Plane j, once; then the one which is to take its place in the ring is fetched.
  template <bool Neat>
  DWELL_FN layer take(int l, int j) {
    Team::template await_fetches<Ahead - 1>();
    const int r = j - rim_;
    const layer v = read(stays(l, r) ? kept_at(l, r) : slot(l, j));
    fetch<Neat>(l, j + Ahead);
    return v;
  }
  /// The warp's own plane r after the pass; other planes are nobody's.
  template <bool Neat>
  DWELL_FN void leave(int l, int r, const layer& v) {
    const lane_facts& me = lane_[l];
    const bool own = within(r, me.planes), kept = stays(l, r);
    if (kept) write(kept_at(l, r), v);
    const bool all = whole_ || !kept || r < rim_ || r >= me.planes - rim_;
    const unsigned shown = !own ? 0u : all ? me.shown : me.always;
    T* plane = to_ + plane_in_field(me.plane + (own ? r : 0));
    const int* lines = lines_of(l);
    DWELL_UNROLL
    for (int k = 0; k < RY; ++k) {
      const bool wanted = shown >> k & 1u;
      if constexpr (Neat) {
        if (wanted) *reinterpret_cast<piece*>(plane + (lines[k] + me.column)) = piece_of(v, k);
      } else {
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i)
          if (wanted && owns_column(l, i)) plane[lines[k] + column(l, i)] = v.v[k * RX + i];
      }
    }
  }
  /// Where cell c of the lane's patch of plane j of the pass lies in the field; cells that nobody
  /// needs lie at the beginning of a row.
  DWELL_FN unsigned cell_in_field(int l, int j, int c) {
    const int line = lines_of(l)[c / RX], x = column(l, c % RX);
    return plane_in_field(lane_[l].plane + j - rim_) +
           static_cast<unsigned>((line < 0 ? 0 : line) + (x < 0 ? 0 : x));
  }

 private:
  static constexpr int values = perks_lanes * patch::cells;
  static_assert(RX == patch::wide && (Ahead & (Ahead - 1)) == 0);
  struct alignas(RX * sizeof(T)) piece {
    T v[RX];
  };
  struct lane_facts {
    int plane;        ///< of the grid, the first of
    int planes;       ///< of the warp, its own,
    int kept;         ///< and of these, those that stay
    int column;       ///< of the grid, the lane's first, or -1: nobody needs it
    unsigned mine;    ///< rows of the patch that the lane stores, a bit each: if it owns its columns
    unsigned shown;   ///< rows that the warp owns, if the lane has columns of it,
    unsigned always;  ///< and those of them that others need even of planes that stay
    int left;         ///< column of the grid, or beyond it; the lane's first
    int x0, x1;       ///< columns that the warp owns
  };
  DWELL_FN static bool within(int r, int n) {
    return static_cast<unsigned>(r) < static_cast<unsigned>(n);
  }
  DWELL_FN bool stays(int l, int r) { return within(r - kept_first_, lane_[l].kept); }
  DWELL_FN bool owns_column(int l, int i) {
    const lane_facts& me = lane_[l];
    return me.left + i >= me.x0 && me.left + i < me.x1;
  }

  /// The cell of an axis of n cells that cell i of a warp stands for, or -1: a pass does not need
  /// it, or it lies beyond a fixed border.
  DWELL_FN int place(int i, int first, int last, int n) const {
    const bool beyond = a_.edge == boundary::fixed && !within(i, n);
    if (i < first - rim_ || i >= last + rim_ || beyond) return -1;
    return cell_for(a_.edge, i, n);
  }
  DWELL_FN int column(int l, int i) const {
    return columns_[l / 32 * patch::width + l % patch::lanes_x * RX + i];
  }
  DWELL_FN const int* lines_of(int l) const {
    return lines_ + (l / 32 * patch::height + l % 32 / patch::lanes_x * RY);
  }
  /// Numbers of cells fit into 32 bits, see the plan.
  DWELL_FN unsigned plane_in_field(int z) const {
    const int n = a_.size.z;
    if (!within(z, n)) z = a_.edge == boundary::fixed ? (z < 0 ? 0 : n - 1) : cell_for(a_.edge, z, n);
    return static_cast<unsigned>(z) * static_cast<unsigned>(a_.size.y * a_.size.x);
  }
  /// A cell of the warp's own plane r.
  DWELL_FN unsigned own_cell(int l, int r, int k, int i) {
    return plane_in_field(lane_[l].plane + r) +
           static_cast<unsigned>(lines_of(l)[k] + column(l, i));
  }
  DWELL_FN T* kept_at(int l, int r) const { return kept_ + ((r - kept_first_) * values + l * RX); }
  DWELL_FN T* slot(int l, int j) const { return ring_ + ((j & (Ahead - 1)) * values + l * RX); }
  /// Row k of the lane's patch that begins at p: after those of all lanes.
  template <class P>
  DWELL_FN static P row_of(P p, int k) {
    return p + k * RX * perks_lanes;
  }
  template <class V>
  DWELL_FN static void fetch_as(bool wanted, T* to, const T* from) {
    Team::fetch_if(wanted, reinterpret_cast<V*>(to), reinterpret_cast<const V*>(from));
  }
  DWELL_FN static piece piece_of(const layer& v, int k) {
    piece some;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) some.v[i] = v.v[k * RX + i];
    return some;
  }
  DWELL_FN static layer read(const T* p) {
    layer v;
    DWELL_UNROLL
    for (int k = 0; k < RY; ++k) {
      const piece some = *reinterpret_cast<const piece*>(row_of(p, k));
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) v.v[k * RX + i] = some.v[i];
    }
    return v;
  }
  DWELL_FN static void write(T* p, const layer& v) {
    DWELL_UNROLL
    for (int k = 0; k < RY; ++k) *reinterpret_cast<piece*>(row_of(p, k)) = piece_of(v, k);
  }

  const sweep_call<S, T>& a_;
  int rim_;
  T *kept_, *ring_;
  int kept_first_;  ///< of the warp's own planes, the first in scratch
  int *columns_, *lines_;
  const T* field_ = nullptr;
  T* to_ = nullptr;
  bool whole_ = false;
  decltype(std::declval<Team&>().template per_lane<lane_facts>()) lane_;
};

}  // namespace dwell
