// SPDX-License-Identifier: MIT
// The planes that one team takes through a stream in three dimensions (streams/agent.hpp), each a
// tile of 64 x 64 cells (128 x 32 of four bytes): its own, and `halo` around them on all sides,
// which their owners have published in a copy of the field. Of its own cells some planes stay in
// scratch; the other planes live in the field. Every lane fetches the cells that are not its own or
// do not stay, some planes before they are due: into the place where the plane stays, else into a
// ring. In every second team the last planes stay: while some teams work on their cached planes,
// others keep the memory busy.
//
// Who reads what after which barrier: a lane waits for its fetches of plane j, then the team meets,
// and lanes read plane j, of others the rows beside their own. A place in the ring is fetched into
// after the next barrier. Planes that are left in scratch are read in the next pass.
#pragma once
#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/cell/cached_layers.hpp"
#include "dwell/execution/stencil/engines/stream2d/subdomain.hpp"
#include "dwell/execution/stencil/engines/stream3d/edges.hpp"
#include "dwell/execution/stencil/engines/streams/sizes.hpp"
#include "dwell/execution/stencil/step/step.hpp"

namespace dwell {

template <class S, class T, class Team>
class stream_planes {
 public:
  using tile = stream_tile<S, T>;
  using layer = lane_layer<T, tile::cells>;
  using piece = cell_piece<T>;
  using subdomain = stream_subdomain<S, T>;
  static constexpr int RX = tile::across, RY = tile::down, Ahead = stream_planes_ahead;

  DWELL_FN stream_planes(Team& team, const stencil_call<S, T>& a)
      : a_(a),
        halo_(a.plan.depth * radius_of<S>),
        ring_(team.template scratch<T>((Ahead + 1) * values)),
        own_(a, team.worker(), 0),
        cached_first_(team.worker() % 2 != 0 ? a.plan.streamed_rows : 0),
        cached_last_(cached_first_ + a.plan.scratch_rows < own_.layers()
                         ? cached_first_ + a.plan.scratch_rows
                         : own_.layers()),
        border_(team.template scratch<T>(stream_fixed_values<S, T>())),
        columns_(team.template scratch<unsigned>(tile::width)),
        lines_(team.template scratch<unsigned>(height)),
        cached_(team.template scratch<T>(a.plan.scratch_rows * values)) {
    team.section([&](int l) {
      const subdomain& own = own_;
      for (int i = l; i < tile::width; i += perks_lanes) {
        const int x = own.left(0) + i, first = own.x0 + i % RX;
        columns_[i] = place(x, own.used(i / RX), first < a.size.x ? first : own.x0, a.size.x);
      }
      for (int i = l; i < height; i += perks_lanes) {
        const int y = own.top(0) + i;
        lines_[i] = place(y, y >= own.y0 - halo_ && y < own.y1 + halo_, own.y0, a.size.y) *
                    static_cast<unsigned>(a.size.x);
      }
    });
    team.each([&](int l) {
      const subdomain& own = own_;
      const int left = own.left(l), top = own.top(l);
      unsigned rows = 0, near = 0, needed = 0;
      DWELL_UNROLL
      for (int k = 0; k < RY; ++k) {
        const int y = top + k;
        const bool mine = y >= own.y0 && y < own.y1;
        needed |= static_cast<unsigned>(needs(y, own.y0, own.y1, a.size.y)) << k;
        rows |= static_cast<unsigned>(mine) << k;
        near |= static_cast<unsigned>(mine && (y < own.y0 + halo_ || y >= own.y1 - halo_)) << k;
      }
      unsigned used = 0;
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i)
        used |= static_cast<unsigned>(needs(left + i, own.x0, own.x1, a.size.x)) << (16 + i);
      const bool beside = left < own.x0 + halo_ || left + RX > own.x1 - halo_;
      lane_facts& me = lane_[l];
      me.column = column(l, 0);
      me.needed = used != 0 && own.layers() > 0 ? needed | used : 0;
      me.mine = own.owns(l) ? rows : 0;
      me.published = own.owns_some(l) ? rows : 0;
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i)
        me.published |= static_cast<unsigned>(left + i >= own.x0 && left + i < own.x1) << (16 + i);
      me.always = !own.owns_some(l) ? 0 : !own.owns(l) || beside ? rows : near;
      me.fixed = border::of(a, l, left, top);
    });
  }
  /// Rows of the field consist of whole pieces, and no halo goes around the grid more than once, or
  /// backwards as in a mirror; and no lane lies at two borders.
  DWELL_FN bool neat() const {
    return a_.size.x % RX == 0 && a_.size.z >= halo_ && a_.size.y > RY + 2 * R &&
           a_.edge != boundary::reflect;
  }
  /// The lane's cells of the planes that stay, from the copy of the field that was begun with.
  DWELL_FN void load(int l) {
    const lane_facts& me = lane_[l];
    for (int r = cached_first_; r < cached_last_; ++r)
      for (int k = 0; k < RY; ++k)
        for (int i = 0; (me.mine >> k & 1u) && i < RX; ++i)
          row_of(cached_at(r), l, k)[i] = field_[own_cell(l, r, k, i)];
  }
  /// All of the lane's own cells into a copy of the field; cells that are not cached from the copy
  /// in which it published them last.
  DWELL_FN void publish(int l, T* field) {
    const lane_facts& me = lane_[l];
    for (int r = 0; r < own_.layers(); ++r)
      for (int k = 0; k < RY; ++k)
        for (int i = 0; (me.published >> k & 1u) && i < RX; ++i)
          if (owns_column(l, i)) {
            const bool here = stays(r) && (me.mine >> k & 1u);
            const unsigned at = own_cell(l, r, k, i);
            field[at] = here ? row_of(cached_at(r), l, k)[i] : to_[at];
          }
  }

  /// A pass reads one copy of the field and publishes others what they need, or all that the team
  /// owns, in another. Plane 0 of a pass is the one `halo` above the team's first.
  DWELL_FN void begin(const T* from, T* to, bool whole) {
    field_ = from;
    to_ = to;
    whole_ = whole;
  }
  /// Plane j of the pass is under way from here on; one group of fetches each. The neat path has no
  /// branches, so that arithmetic hides the time it takes.
  template <bool Neat>
  DWELL_FN void fetch(int l, int j) {
    const lane_facts& me = lane_[l];
    const int r = j - halo_;
    const unsigned mine = stays(r) ? me.mine : 0u;
    const unsigned need = r < own_.layers() + halo_ ? me.needed & ~mine : 0u;
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
  /// Plane j once the team has met, and its row k above or below the lane's tile.
  DWELL_FN layer get(int l, int j) { return read(plane(j), l); }
  DWELL_FN piece beyond(int l, int j, int k) {
    const T* p = row_of(plane(j), edges::neighbour(l, k), k < 0 ? RY + k : k - RY);
    return *reinterpret_cast<const piece*>(p);
  }
  /// Plane j as it came in: the cells of it that keep their values do so in all time steps, which
  /// ask for them some planes later.
  DWELL_FN void remember(int l, int j, const layer& v) {
    border::remember(border_, lane_[l].fixed, j, v);
  }
  /// Cells of plane j that keep their values get them back: those at the sides and in rows from
  /// here; whole planes, if there may be some, from the field, where both copies hold them.
  template <bool Planes>
  DWELL_FN void restore(int l, int j, layer& v, const lane_fixed_cells& fixed_cells) {
    const lane_facts& me = lane_[l];
    border::restore(border_, me.fixed, j, v);
    if constexpr (Planes)
      if (within(j - (fixed_cells.first - R), R) || within(j - fixed_cells.last, R)) {
        const T* from = field_ + (plane_in_field<true>(own_.first + j - halo_) + me.column);
        const auto lines = lines_of(l);
        DWELL_UNROLL
        for (int k = 0; k < RY; ++k) get_piece(v, k * RX, from + lines.at[k]);
      }
  }
  /// The team's own plane r after the pass; other planes are not stored.
  template <bool Neat>
  DWELL_FN void leave(int l, int r, const layer& v) {
    const lane_facts& me = lane_[l];
    const int n = own_.layers();
    const bool own = within(r, n), cached = stays(r);
    if (cached) write(cached_at(r), l, v);
    const bool all = whole_ || !cached || r < halo_ || r >= n - halo_;
    const unsigned published = !own ? 0u : all ? me.published : me.always;
    const unsigned plane = plane_in_field<Neat>(own_.first + r);
    const auto lines = lines_of(l);
    DWELL_UNROLL
    for (int k = 0; k < RY; ++k) {
      const bool wanted = published >> k & 1u;
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
  /// Where cell c of the lane's tile of plane j of the pass lies in the field.
  DWELL_FN unsigned cell_in_field(int l, int j, int c) {
    return plane_in_field<false>(own_.first + j - halo_) + lines_of(l).at[c / RX] +
           column(l, c % RX);
  }

 private:
  using edges = stream_edges<S, T>;
  using border = stream_fixed_cells<S, T>;
  static constexpr int R = radius_of<S>;
  static constexpr int values = stream_layer_values<S, T>, height = perks_warps * RY;
  static_assert(RX == tile::wide);
  struct lane_facts {
    unsigned column;  ///< column of the grid that the lane's first one stands for
    unsigned needed;  ///< rows of the tile that the team needs, a bit each; from bit 16, columns
    unsigned mine;    ///< rows of the tile that the lane stores, a bit each: if it owns its columns
    unsigned
        published;  ///< rows that the team owns, if the lane has columns of it; from bit 16, these
    unsigned always;  ///< rows that others need even of planes that stay
    typename border::cells fixed;
  };
  DWELL_FN bool stays(int r) const { return r >= cached_first_ && r < cached_last_; }
  DWELL_FN bool owns_column(int l, int i) { return lane_[l].published >> (16 + i) & 1u; }

  struct alignas(16) lines {
    unsigned at[RY];
  };
  /// A pass needs cell i of an axis of n cells, of which the team owns those from first to before
  /// last.
  DWELL_FN bool needs(int i, int first, int last, int n) const {
    const bool there = a_.edge != boundary::fixed || within(i, n);
    return there && i >= first - halo_ && i < last + halo_;
  }
  /// The cell that stands for it; if it is not needed, one of the team's own: others might be a far
  /// team's, which writes while this one reads.
  DWELL_FN unsigned place(int i, bool near, int own, int n) const {
    const bool there = near && (a_.edge != boundary::fixed || within(i, n));
    return static_cast<unsigned>(there ? cell_for(a_.edge, i, n) : own);
  }
  DWELL_FN unsigned column(int l, int i) const { return columns_[l % 32 * RX + i]; }
  DWELL_FN lines lines_of(int l) const {
    return *reinterpret_cast<const lines*>(lines_ + l / 32 * RY);
  }
  /// Numbers of cells fit into 32 bits, see the plan. Neat: the halo is not more than the grid.
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
  DWELL_FN T* cached_at(int r) const { return cached_ + (r - cached_first_) * values; }
  DWELL_FN T* plane(int j) const {
    return stays(j - halo_) ? cached_at(j - halo_) : ring_ + j % (Ahead + 1) * values;
  }
  /// Row k of a lane's tile in the plane at p: after those of all lanes.
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

  const stencil_call<S, T>& a_;
  int halo_;
  T* ring_;
  subdomain own_;
  int cached_first_,
      cached_last_;  ///< the team's own planes from first to before last stay
  T* border_;
  unsigned *columns_, *lines_;
  T* cached_;  ///< last, so that the compiler knows where all others lie
  const T* field_ = nullptr;
  T* to_ = nullptr;
  bool whole_ = false;
  decltype(std::declval<Team&>().template per_lane<lane_facts>()) lane_;
};

}  // namespace dwell
