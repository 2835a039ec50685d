// SPDX-License-Identifier: MIT
// The rows that one warp takes through a stream (streams/agent.hpp): its own, and `halo` rows
// above and below, and columns at the sides, which their owners have published in a copy of the
// field. A cell lives in one place only. Own cells that others need, `halo` from an edge, live in
// the copies of the field. Of the rows between, the lanes' private ones, some stay in scratch, and
// the others pass through memory that this team alone touches. Every lane fetches its cells that
// are not in scratch into a ring, some rows before they are due. In every second team the last
// private rows stay, else the first, so that memory is busy while some teams work on cached rows.
#pragma once
#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/cell/cached_layers.hpp"
#include "dwell/execution/stencil/engines/stream2d/subdomain.hpp"
#include "dwell/execution/stencil/engines/streams/sizes.hpp"

namespace dwell {

template <class S, class T, class Team>
class stream_rows {
 public:
  using tile = stream_tile<S, T>;
  using piece = cell_piece<T>;
  static constexpr int RX = tile::across, Ahead = fetch_ahead<2>;
  using row = lane_layer<T, RX>;
  using subdomain = stream_subdomain<S, T>;

  DWELL_FN stream_rows(Team& team, const stencil_call<S, T>& a)
      : a_(a),
        halo_(a.plan.depth * radius_of<S>),
        skipped_(2 * ((halo_ + RX - 1) / RX)),
        ring_(team.template scratch<T>(Ahead * layer)),
        border_(team.template scratch<T>(stream_fixed_values<S, T>())),
        columns_(team.template scratch<int>(perks_warps * 32 * RX)),
        halos_(team.template scratch<int>(perks_warps * 2 * stream_depth<S>() * R)),
        cached_(team.template scratch<T>(a.plan.scratch_rows * layer)),
        cached_first_(team.worker() % 2 != 0 ? a.plan.streamed_rows - halo_ : halo_),
        streamed_first_(team.worker() % 2 != 0 ? 0 : a.plan.scratch_rows),
        streamed_(a.streamed +
                  static_cast<std::size_t>(team.worker()) * a.plan.streamed_rows * layer) {
    team.section([&](int l) {
      for (int i = l; i < perks_warps * 32 * RX; i += perks_lanes)
        columns_[i] = column_for(subdomain(a, team.worker(), i / (32 * RX)), i % (32 * RX));
      for (int i = l; i < perks_warps * 2 * halo_; i += perks_lanes)
        halos_[i] = halo_row(subdomain(a, team.worker(), i / (2 * halo_)), i % (2 * halo_));
    });
    team.each([&](int l) {
      const subdomain own(a, team.worker(), l / 32);
      const int n = own.layers();
      // Columns near a side are needed in all rows.
      const bool inner = own.left(l) >= own.x0 + halo_ && own.left(l) + RX <= own.x1 - halo_;
      lane_facts& me = lane_[l];
      me.top = own.first;
      me.rows = n;
      me.own = inner && n > 2 * halo_ ? n - 2 * halo_ : 0;
      me.cached = cached_of(me.own);
      me.end = own.present && own.used(l) ? n + 2 * halo_ : 0;
      me.first = column(l, 0);
      me.columns = columns_of(own, l);
      me.fixed = border::of(a, l, own.left(l));
    });
  }
  /// A row of the field is a whole number of lanes' columns, and so are then all subdomains of it;
  /// and no halo goes around the grid more than once, or backwards as in a mirror.
  DWELL_FN bool neat() const {
    return a_.size.x % RX == 0 && a_.size.y >= halo_ && a_.edge != boundary::reflect;
  }

  /// The lane's private rows from the copy of the field that was begun with.
  DWELL_FN void load(int l) {
    for (int r = halo_; r < halo_ + lane_[l].own; ++r) put_if(true, l, r, seen(l, field_, r));
  }
  /// All of the lane's own cells into a copy of the field; cells that are not private from the copy
  /// in which it published them last.
  DWELL_FN void publish(int l, T* field) {
    const lane_facts& me = lane_[l];
    for (int r = 0; me.columns != 0 && r < me.rows; ++r)
      publish_if<false>(true, l, field, r, is_private(l, r) ? get(l, r) : seen(l, to_, r));
  }

  /// A pass reads one copy of the field and publishes others what they need, or all that the team
  /// owns, in another. Row 0 of a pass is the one `halo` above the warp's first.
  DWELL_FN void begin(const T* from, T* to, bool whole) {
    field_ = from;
    to_ = to;
    whole_ = whole;
  }
  /// Row j of the pass is under way from here on; one group of fetches each. The neat path has no
  /// branches, so that arithmetic hides the time it takes.
  template <bool Neat>
  DWELL_FN void fetch(int l, int j) {
    const lane_facts& me = lane_[l];
    const int r = j - halo_;
    const bool wanted = j < me.end && !within(r - cached_first_, me.cached),
               mine = is_private(l, r);
    T* to = slot(l, j);
    if constexpr (Neat) {
      const T* from = mine ? streamed_ : field_;
      const unsigned line = static_cast<unsigned>(row_of(me.top + r) * a_.size.x);
      const unsigned at = mine ? streamed_offset(l, r) : line + static_cast<unsigned>(me.first);
      const unsigned gap = mine ? last_piece : RX - wide;
      fetch_as<piece, Team>(wanted, to, from + at);
      if constexpr (last_piece > 0)
        fetch_as<piece, Team>(wanted, to + last_piece, from + (at + gap));
    } else if (mine) {
      DWELL_UNROLL
      for (int k = 0; k < RX; k += wide)
        fetch_as<piece, Team>(wanted, at(to, k), at(streamed_ + streamed_offset(l, r), k));
    } else {
      const T* line = field_ + row_in_field(l, j);
      DWELL_UNROLL
      for (int k = 0; k < RX; ++k) fetch_as<T, Team>(wanted, at(to, k), line + column(l, k));
    }
    Team::close_fetches();
  }
  /// Row j, once; then the one which is to take its place in the ring is fetched.
  template <bool Neat>
  DWELL_FN row take(int l, int j) {
    Team::template await_fetches<Ahead - 1>();
    const int r = j - halo_;
    const row v = read(within(r - cached_first_, lane_[l].cached) ? cached_at(l, r) : slot(l, j));
    fetch<Neat>(l, j + Ahead);
    return v;
  }
  /// The warp's own row r after the pass; other rows are not stored.
  template <bool Neat>
  DWELL_FN void leave(int l, int r, const row& v) {
    const lane_facts& me = lane_[l];
    const bool mine = is_private(l, r);
    put_if(mine, l, r, v);
    publish_if<Neat>(within(r, me.rows) && me.columns != 0 && (whole_ || !mine), l, to_, r, v);
  }
  /// Row j as it came in: the cells of it that keep their values do so in all time steps, which ask
  /// for them until Depth * R rows later.
  DWELL_FN void remember(int l, int j, const row& v) {
    border::remember(border_, lane_[l].fixed, j, v);
  }
  /// Cells of row j that keep their values get them back: those of a column from here; whole rows,
  /// if there may be some, from the field, where both copies hold them.
  template <bool Rows>
  DWELL_FN void restore(int l, int j, row& v, const lane_fixed_cells& fixed_cells) {
    const lane_facts& me = lane_[l];
    border::restore(border_, me.fixed, j, v);
    if constexpr (Rows)
      if (within(j - (fixed_cells.first - R), R) || within(j - fixed_cells.last, R))
        v = row_from(field_ + (own_row_in_field(l, j - halo_) + static_cast<unsigned>(me.first)));
  }
  /// Where cell k of the lane's columns in row j of the pass lies in the field.
  DWELL_FN unsigned cell_in_field(int l, int j, int k) {
    return row_in_field(l, j < 0 ? 0 : j) + static_cast<unsigned>(column(l, k));
  }

 private:
  DWELL_FN int column(int l, int k) const { return columns_[l * RX + k]; }

  using border = stream_fixed_cells<S, T>;
  static constexpr int R = radius_of<S>, layer = stream_layer_values<S, T>;
  static constexpr int wide = tile::wide;
  static constexpr int last_piece = (RX - wide) * perks_lanes;
  static_assert(RX % wide == 0 && RX <= 2 * wide && (Ahead & (Ahead - 1)) == 0);
  struct lane_facts {
    int top;           ///< row of the grid, the first of
    int rows;          ///< rows of the warp, its own,
    int own;           ///< private ones: from row `halo` on, or none;
    int cached;        ///< and of these, in scratch
    int end;           ///< end of the rows that it fetches
    int first;         ///< column of the grid that its first one stands for
    unsigned columns;  ///< a bit for each of its columns that the warp owns
    typename border::cells fixed;
  };
  DWELL_FN static unsigned columns_of(const subdomain& own, int l) {
    unsigned bits = 0;
    DWELL_UNROLL
    for (int k = 0; k < RX; ++k) {
      const int x = own.left(l) + k;
      bits |= static_cast<unsigned>(x >= own.x0 && x < own.x1) << k;
    }
    return bits;
  }

  /// Row r is the lane's, and nobody else needs it.
  DWELL_FN bool is_private(int l, int r) { return within(r - halo_, lane_[l].own); }
  // A private row of a lane.
  DWELL_FN row get(int l, int r) const {
    return caches(r) ? read(cached_at(l, r)) : read(streamed_ + streamed_offset(l, r));
  }
  DWELL_FN void put_if(bool wanted, int l, int r, const row& v) const {
    const bool cached = caches(r);
    write_if(wanted && cached, cached_at(l, r), v);
    write_if(wanted && !cached, streamed_ + streamed_offset(l, r), v);
  }
  /// The lane's cells that are its warp's own into row r of a copy of the field. Neat: all of them.
  template <bool Neat>
  DWELL_FN void publish_if(bool wanted, int l, T* field, int r, const row& v) {
    const lane_facts& me = lane_[l];
    T* p = field + (own_row_in_field(l, r) + static_cast<unsigned>(me.first));
    DWELL_UNROLL
    for (int k = 0; k < RX; k += Neat ? wide : 1) {
      if constexpr (Neat) {
        if (wanted) put_piece(p + k, v, k);
      } else if (wanted && (me.columns >> k & 1u)) {
        p[k] = v.v[k];
      }
    }
  }
  /// The lane's columns in the warp's own row r of a copy of the field.
  DWELL_FN row seen(int l, const T* field, int r) {
    row v;
    DWELL_UNROLL
    for (int k = 0; k < RX; ++k) v.v[k] = field[own_row_in_field(l, r) + column(l, k)];
    return v;
  }
  /// Where row j of the pass begins in the field.
  DWELL_FN unsigned row_in_field(int l, int j) {
    const lane_facts& me = lane_[l];
    const int r = j - halo_, beyond = r < 0 ? j : r - me.rows + halo_;
    if (within(r, me.rows)) return own_row_in_field(l, r);
    const int last = 2 * halo_ - 1;  // rows beyond the halo are never used
    const int halo = halos_[l / 32 * 2 * halo_ + (beyond < last ? beyond : last)];
    return static_cast<unsigned>(halo) * static_cast<unsigned>(a_.size.x);
  }
  DWELL_FN bool caches(int r) const { return within(r - cached_first_, a_.plan.scratch_rows); }
  /// Number of so many private rows that are in scratch.
  DWELL_FN int cached_of(int own) const {
    const int n = halo_ + own - cached_first_;
    return n < 0 ? 0 : n < a_.plan.scratch_rows ? n : a_.plan.scratch_rows;
  }

  /// The column of the grid that column i of a warp stands for. Columns beyond the halo or a fixed
  /// border are never used, and might be a far team's, which writes while this one reads: such
  /// pieces stand for the warp's own first ones.
  DWELL_FN int column_for(const subdomain& own, int i) const {
    const int x = own.left(0) + i, n = a_.size.x;
    if (own.used(i / RX) && (a_.edge != boundary::fixed || within(x, n)))
      return cell_for(a_.edge, x, n);
    return n % wide == 0 ? own.x0 + i % wide : own.x0;
  }
  /// The row of the grid for row i of a warp's halo: above, then below.
  DWELL_FN int halo_row(const subdomain& own, int i) const {
    const int y = (i < halo_ ? own.first : own.last) + i % halo_ - (i < halo_ ? halo_ : 0),
              n = a_.size.y;
    if (a_.edge != boundary::fixed) return cell_for(a_.edge, y, n);
    return y < 0 ? 0 : y >= n ? n - 1 : y;
  }
  /// Finds the row without a table, if the halo is not more than the grid.
  DWELL_FN int row_of(int y) const {
    const int n = a_.size.y;
    if (a_.edge == boundary::fixed) return y < 0 ? 0 : y < n ? y : n - 1;
    return y < 0 ? y + n : y < n ? y : y - n;
  }
  // Numbers of cells fit into 32 bits, see the plan.
  DWELL_FN unsigned own_row_in_field(int l, int r) {
    return static_cast<unsigned>(lane_[l].top + r) * static_cast<unsigned>(a_.size.x);
  }
  DWELL_FN unsigned streamed_offset(int l, int r) const {
    return static_cast<unsigned>((r - streamed_first_) * layer + (l - skipped_) * wide);
  }
  DWELL_FN T* cached_at(int l, int r) const {
    return cached_ + ((r - cached_first_) * layer + l * wide);
  }
  DWELL_FN T* slot(int l, int j) const { return ring_ + ((j & (Ahead - 1)) * layer + l * wide); }
  /// Value k of a lane's row that begins at p: as many as travel together lie side by side, the
  /// next ones after those of all lanes.
  template <class P>
  DWELL_FN static P at(P p, int k) {
    return p + k / wide * wide * perks_lanes + k % wide;
  }
  DWELL_FN static row read(const T* p) {
    row v;
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide) get_piece(v, k, at(p, k));
    return v;
  }
  /// A row from values that lie side by side.
  DWELL_FN static row row_from(const T* p) {
    row v;
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide) get_piece(v, k, p + k);
    return v;
  }
  DWELL_FN static void write_if(bool wanted, T* p, const row& v) {
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide)
      if (wanted) put_piece(at(p, k), v, k);
  }

  const stencil_call<S, T>& a_;
  int halo_;
  int skipped_;  ///< lanes of a warp before the first with private rows, which so begin with a line
  // Arrays whose size the compiler knows come first: it then knows where they lie.
  T *ring_, *border_;
  int *columns_, *halos_;
  T* cached_;
  int cached_first_, streamed_first_;  ///< first of the warp's own rows in scratch, in memory
  T* streamed_;
  const T* field_ = nullptr;
  T* to_ = nullptr;
  bool whole_ = false;
  decltype(std::declval<Team&>().template per_lane<lane_facts>()) lane_;
};

}  // namespace dwell
