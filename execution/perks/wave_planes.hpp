// SPDX-License-Identifier: MIT
// The planes that one team takes through a wave in three dimensions (perks_wave.hpp), each a patch
// of 64 x 64 cells (128 x 32 of four bytes): its own, and `rim` around them on all sides, which
// their owners have published in a copy of the field. Of its own cells some planes stay in scratch;
// those of the other planes live in the field. Every lane fetches what is not its own or does not
// stay, some planes before it is due: into the place where the plane stays, else into a ring. In
// every second team the last planes stay: while some teams work on what they keep, others keep
// memory at work.
//
// Who reads what after which meeting: a lane waits for its fetches of plane j, then the team meets,
// and lanes read plane j, of others the rows beside their own. A place in the ring is fetched into
// after the next meeting. What a lane leaves in scratch is read in the next pass.
#pragma once
#include "dwell/execution/core/ranges.hpp"
#include "dwell/execution/core/sweep_step.hpp"
#include "dwell/execution/perks/kept_layers.hpp"
#include "dwell/execution/perks/perks_rungs.hpp"
#include "dwell/execution/perks/wave_edges.hpp"
#include "dwell/execution/perks/wave_share.hpp"

namespace dwell {

template <class S, class T, class Team>
class wave_planes {
 public:
  using patch = wave_patch<S, T>;
  using layer = lane_layer<T, patch::cells>;
  using piece = cell_piece<T>;
  using share = wave_share<S, T>;
  static constexpr int RX = patch::across, RY = patch::down, Ahead = wave_planes_ahead;

  DWELL_FN wave_planes(Team& team, const sweep_call<S, T>& a)
      : a_(a),
        rim_(a.plan.depth * radius_of<S>),
        ring_(team.template scratch<T>((Ahead + 1) * values)),
        own_(a, team.worker(), 0),
        kept_first_(team.worker() % 2 != 0 ? a.plan.streamed_rows : 0),
        kept_last_(kept_first_ + a.plan.scratch_rows < own_.layers()
                       ? kept_first_ + a.plan.scratch_rows
                       : own_.layers()),
        border_(team.template scratch<T>(wave_border_values<S, T>())),
        columns_(team.template scratch<unsigned>(patch::width)),
        lines_(team.template scratch<unsigned>(height)),
        kept_(team.template scratch<T>(a.plan.scratch_rows * values)) {
    team.section([&](int l) {
      const share& own = own_;
      for (int i = l; i < patch::width; i += perks_lanes) {
        const int x = own.left(0) + i, first = own.x0 + i % RX;
        columns_[i] = place(x, own.used(i / RX), first < a.size.x ? first : own.x0, a.size.x);
      }
      for (int i = l; i < height; i += perks_lanes) {
        const int y = own.top(0) + i;
        lines_[i] = place(y, y >= own.y0 - rim_ && y < own.y1 + rim_, own.y0, a.size.y) *
                    static_cast<unsigned>(a.size.x);
      }
    });
    team.each([&](int l) {
      const share& own = own_;
      const int left = own.left(l), top = own.top(l);
      unsigned rows = 0, near = 0, needed = 0;
      DWELL_UNROLL
      for (int k = 0; k < RY; ++k) {
        const int y = top + k;
        const bool mine = y >= own.y0 && y < own.y1;
        needed |= static_cast<unsigned>(needs(y, own.y0, own.y1, a.size.y)) << k;
        rows |= static_cast<unsigned>(mine) << k;
        near |= static_cast<unsigned>(mine && (y < own.y0 + rim_ || y >= own.y1 - rim_)) << k;
      }
      unsigned used = 0;
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i)
        used |= static_cast<unsigned>(needs(left + i, own.x0, own.x1, a.size.x)) << (16 + i);
      const bool beside = left < own.x0 + rim_ || left + RX > own.x1 - rim_;
      lane_facts& me = lane_[l];
      me.column = column(l, 0);
      me.needed = used != 0 && own.layers() > 0 ? needed | used : 0;
      me.mine = own.owns(l) ? rows : 0;
      me.shown = own.shares(l) ? rows : 0;
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i)
        me.shown |= static_cast<unsigned>(left + i >= own.x0 && left + i < own.x1) << (16 + i);
      me.always = !own.shares(l) ? 0 : !own.owns(l) || beside ? rows : near;
      me.still = border::of(a, l, left, top);
    });
  }
  /// Rows of the field consist of whole pieces, and no rim goes around the grid more than once, or
  /// backwards as in a mirror; and no lane lies at two borders.
  DWELL_FN bool neat() const {
    return a_.size.x % RX == 0 && a_.size.z >= rim_ && a_.size.y > RY + 2 * R &&
           a_.edge != boundary::reflect;
  }
  /// What stays of the lane's own planes, from the copy of the field that was begun with.
  DWELL_FN void load(int l) {
    const lane_facts& me = lane_[l];
    for (int r = kept_first_; r < kept_last_; ++r)
      for (int k = 0; k < RY; ++k)
        for (int i = 0; (me.mine >> k & 1u) && i < RX; ++i)
          row_of(kept_at(r), l, k)[i] = field_[own_cell(l, r, k, i)];
  }
  /// All that is the lane's own into a copy of the field. What it does not keep it has shown last.
  DWELL_FN void publish(int l, T* field) {
    const lane_facts& me = lane_[l];
    for (int r = 0; r < own_.layers(); ++r)
      for (int k = 0; k < RY; ++k)
        for (int i = 0; (me.shown >> k & 1u) && i < RX; ++i)
          if (owns_column(l, i)) {
            const bool here = stays(r) && (me.mine >> k & 1u);
            const unsigned at = own_cell(l, r, k, i);
            field[at] = here ? row_of(kept_at(r), l, k)[i] : to_[at];
          }
  }

  /// A pass reads one copy of the field and shows others what they need, or all that the team owns,
  /// in another. Plane 0 of a pass is the one `rim` above the team's first.
  DWELL_FN void begin(const T* from, T* to, bool whole) {
    field_ = from;
    to_ = to;
    whole_ = whole;
  }
  /// Plane j of the pass is under way from here on; one group of fetches each. The neat text has no
  /// branches, so that arithmetic hides what it takes.
  template <bool Neat>
  DWELL_FN void fetch(int l, int j) {
    const lane_facts& me = lane_[l];
    const int r = j - rim_;
    const unsigned mine = stays(r) ? me.mine : 0u;
    const unsigned need = r < own_.layers() + rim_ ? me.needed & ~mine : 0u;
    T* to = plane(j);
    const unsigned plane = plane_in_field<Neat>(own_.first + r);
    const auto lines = lines_of(l);
    DWELL_UNROLL
    for (int k = 0; k < RY; ++k) {
      const bool wanted = need >> k & 1u;
      const unsigned line = plane + lines.at[k];
      if constexpr (Neat) {
        fetch_as<piece, Team>(wanted, row_of(to, l, k), field_ + (line + me.column));
      } else {
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i)
          fetch_as<T, Team>(wanted && (need >> (16 + i) & 1u), row_of(to, l, k) + i,
                            field_ + (line + column(l, i)));
      }
    }
    Team::close_fetches();
  }
  /// The lane's own fetches of plane j have arrived. All planes are awaited, one after the other.
  DWELL_FN static void await() { Team::template await_fetches<Ahead - 1>(); }
  /// Plane j once the team has met, and what stands in its row k above or below the lane's patch.
  DWELL_FN layer get(int l, int j) { return read(plane(j), l); }
  DWELL_FN piece beyond(int l, int j, int k) {
    const T* p = row_of(plane(j), edges::neighbour(l, k), k < 0 ? RY + k : k - RY);
    return *reinterpret_cast<const piece*>(p);
  }
  /// Plane j as it came in: the cells of it that keep their values do so in all levels, which ask
  /// for them some planes later.
  DWELL_FN void remember(int l, int j, const layer& v) {
    border::remember(border_, lane_[l].still, j, v);
  }
  /// Cells of plane j that keep their values get them back: those at the sides and in rows from
  /// here; whole planes, if there may be some, from the field, where both copies hold them.
  template <bool Planes>
  DWELL_FN void restore(int l, int j, layer& v, const wave_habits& habits) {
    const lane_facts& me = lane_[l];
    border::restore(border_, me.still, j, v);
    if constexpr (Planes)
      if (within(j - (habits.first - R), R) || within(j - habits.last, R)) {
        const T* from = field_ + (plane_in_field<true>(own_.first + j - rim_) + me.column);
        const auto lines = lines_of(l);
        DWELL_UNROLL
        for (int k = 0; k < RY; ++k) get_piece(v, k * RX, from + lines.at[k]);
      }
  }
  /// The team's own plane r after the pass; other planes are nobody's.
  template <bool Neat>
  DWELL_FN void leave(int l, int r, const layer& v) {
    const lane_facts& me = lane_[l];
    const int n = own_.layers();
    const bool own = within(r, n), kept = stays(r);
    if (kept) write(kept_at(r), l, v);
    const bool all = whole_ || !kept || r < rim_ || r >= n - rim_;
    const unsigned shown = !own ? 0u : all ? me.shown : me.always;
    const unsigned plane = plane_in_field<Neat>(own_.first + r);
    const auto lines = lines_of(l);
    DWELL_UNROLL
    for (int k = 0; k < RY; ++k) {
      const bool wanted = shown >> k & 1u;
      const unsigned line = plane + lines.at[k];
      if constexpr (Neat) {
        T* p = to_ + (line + me.column);
        if (wanted) put_piece(p, v, k * RX);
      } else {
        DWELL_UNROLL
        for (int i = 0; i < RX; ++i)
          if (wanted && owns_column(l, i)) to_[line + column(l, i)] = v.v[k * RX + i];
      }
    }
  }
  /// Where cell c of the lane's patch of plane j of the pass lies in the field.
  DWELL_FN unsigned cell_in_field(int l, int j, int c) {
    return plane_in_field<false>(own_.first + j - rim_) + lines_of(l).at[c / RX] +
           column(l, c % RX);
  }

 private:
  using edges = wave_edges<S, T>;
  using border = wave_border<S, T>;
  static constexpr int R = radius_of<S>;
  static constexpr int values = wave_layer_values<S, T>, height = perks_warps * RY;
  static_assert(RX == patch::wide);
  struct lane_facts {
    unsigned column;  ///< of the grid, that the lane's first one stands for
    unsigned needed;  ///< rows of the patch that the team needs, a bit each; from bit 16, columns
    unsigned mine;   ///< rows of the patch that the lane stores, a bit each: if it owns its columns
    unsigned shown;  ///< rows that the team owns, if the lane has columns of it; from bit 16, these
    unsigned always;  ///< of those rows the ones that others need even of planes that stay
    typename border::cells still;
  };
  DWELL_FN bool stays(int r) const { return r >= kept_first_ && r < kept_last_; }
  DWELL_FN bool owns_column(int l, int i) { return lane_[l].shown >> (16 + i) & 1u; }

  struct alignas(16) lines {
    unsigned at[RY];
  };
  /// A pass needs cell i of an axis of n cells, of which the team owns those from first to before
  /// last.
  DWELL_FN bool needs(int i, int first, int last, int n) const {
    const bool there = a_.edge != boundary::fixed || within(i, n);
    return there && i >= first - rim_ && i < last + rim_;
  }
  /// The cell that stands for it. If nobody needs it, one of the team's own: others might be a far
  /// team's, who writes while this one reads.
  DWELL_FN unsigned place(int i, bool near, int own, int n) const {
    const bool there = near && (a_.edge != boundary::fixed || within(i, n));
    return static_cast<unsigned>(there ? cell_for(a_.edge, i, n) : own);
  }
  DWELL_FN unsigned column(int l, int i) const { return columns_[l % 32 * RX + i]; }
  DWELL_FN lines lines_of(int l) const {
    return *reinterpret_cast<const lines*>(lines_ + l / 32 * RY);
  }
  /// Numbers of cells fit into 32 bits, see the plan. Neat: the rim is not more than the grid.
  template <bool Neat>
  DWELL_FN unsigned plane_in_field(int z) const {
    const int n = a_.size.z;
    if (Neat || a_.edge == boundary::fixed) {
      const bool fixed = a_.edge == boundary::fixed;
      z = z < 0 ? (fixed ? 0 : z + n) : z < n ? z : fixed ? n - 1 : z - n;
    } else {
      z = cell_for(a_.edge, z, n);
    }
    return static_cast<unsigned>(z) * static_cast<unsigned>(a_.size.y * a_.size.x);
  }
  /// A cell of the team's own plane r.
  DWELL_FN unsigned own_cell(int l, int r, int k, int i) {
    return plane_in_field<false>(own_.first + r) + lines_of(l).at[k] + column(l, i);
  }
  /// Where plane r of the team's own stays, and where plane j of a pass is.
  DWELL_FN T* kept_at(int r) const { return kept_ + (r - kept_first_) * values; }
  DWELL_FN T* plane(int j) const {
    return stays(j - rim_) ? kept_at(j - rim_) : ring_ + j % (Ahead + 1) * values;
  }
  /// Row k of a lane's patch in the plane at p: after those of all lanes.
  template <class P>
  DWELL_FN static P row_of(P p, int l, int k) {
    return p + (k * perks_lanes + l) * RX;
  }
  DWELL_FN static layer read(const T* p, int l) {
    layer v;
    DWELL_UNROLL
    for (int k = 0; k < RY; ++k) get_piece(v, k * RX, row_of(p, l, k));
    return v;
  }
  DWELL_FN static void write(T* p, int l, const layer& v) {
    DWELL_UNROLL
    for (int k = 0; k < RY; ++k) put_piece(row_of(p, l, k), v, k * RX);
  }

  const sweep_call<S, T>& a_;
  int rim_;
  T* ring_;
  share own_;
  int kept_first_, kept_last_;  ///< of the team's own planes, those from first to before last stay
  T* border_;
  unsigned *columns_, *lines_;
  T* kept_;  ///< last, so that the compiler knows where all others lie
  const T* field_ = nullptr;
  T* to_ = nullptr;
  bool whole_ = false;
  decltype(std::declval<Team&>().template per_lane<lane_facts>()) lane_;
};

}  // namespace dwell
