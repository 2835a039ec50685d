// SPDX-License-Identifier: MIT
// The rows that one warp takes through a wave (perks_wave.hpp): its own, and `rim` rows above and
// below, and columns at the sides, which their owners have published in a copy of the field. A cell
// lives in one place only. Own cells that others need, `rim` from an edge, live in the copies of
// the field. Of the rows between, the lanes' private ones, some stay in scratch, and the others
// pass through memory that this team alone touches. Every lane fetches what is not in scratch into
// a ring, some rows before it is due. In every second team the last private rows stay, else the
// first: while some teams work on what they keep, others keep memory at work.
#pragma once
#include "dwell/execution/core/ranges.hpp"
#include "dwell/execution/perks/kept_layers.hpp"
#include "dwell/execution/perks/perks_rungs.hpp"
#include "dwell/execution/perks/wave_share.hpp"

namespace dwell {

template <class S, class T, class Team>
class wave_rows {
 public:
  using patch = wave_patch<S, T>;
  using piece = cell_piece<T>;
  static constexpr int RX = patch::across, Ahead = fetch_ahead<2>;
  using row = lane_layer<T, RX>;
  using share = wave_share<S, T>;

  DWELL_FN wave_rows(Team& team, const sweep_call<S, T>& a)
      : a_(a),
        rim_(a.plan.depth * radius_of<S>),
        skipped_(2 * ((rim_ + RX - 1) / RX)),
        ring_(team.template scratch<T>(Ahead * layer)),
        border_(team.template scratch<T>(wave_border_values<S, T>())),
        columns_(team.template scratch<int>(perks_warps * 32 * RX)),
        rims_(team.template scratch<int>(perks_warps * 2 * perks_levels<S>() * R)),
        kept_(team.template scratch<T>(a.plan.scratch_rows * layer)),
        kept_first_(team.worker() % 2 != 0 ? a.plan.streamed_rows - rim_ : rim_),
        streamed_first_(team.worker() % 2 != 0 ? 0 : a.plan.scratch_rows),
        streamed_(a.streamed +
                  static_cast<std::size_t>(team.worker()) * a.plan.streamed_rows * layer) {
    team.section([&](int l) {
      for (int i = l; i < perks_warps * 32 * RX; i += perks_lanes)
        columns_[i] = column_for(share(a, team.worker(), i / (32 * RX)), i % (32 * RX));
      for (int i = l; i < perks_warps * 2 * rim_; i += perks_lanes)
        rims_[i] = rim_row(share(a, team.worker(), i / (2 * rim_)), i % (2 * rim_));
    });
    team.each([&](int l) {
      const share own(a, team.worker(), l / 32);
      const int n = own.layers();
      // Columns near a side are needed in all rows.
      const bool inner = own.left(l) >= own.x0 + rim_ && own.left(l) + RX <= own.x1 - rim_;
      lane_facts& me = lane_[l];
      me.top = own.first;
      me.rows = n;
      me.own = inner && n > 2 * rim_ ? n - 2 * rim_ : 0;
      me.kept = kept_of(me.own);
      me.end = own.present && own.used(l) ? n + 2 * rim_ : 0;
      me.first = column(l, 0);
      me.columns = columns_of(own, l);
      me.still = border::of(a, l, own.left(l));
    });
  }
  /// A row of the field is a whole number of lanes' columns, and so are then all shares of it; and
  /// no rim goes around the grid more than once, or backwards as in a mirror.
  DWELL_FN bool neat() const {
    return a_.size.x % RX == 0 && a_.size.y >= rim_ && a_.edge != boundary::reflect;
  }

  /// The lane's private rows from the copy of the field that was begun with.
  DWELL_FN void load(int l) {
    for (int r = rim_; r < rim_ + lane_[l].own; ++r) put_if(true, l, r, seen(l, field_, r));
  }
  /// All that is the lane's own into a copy of the field. What is not private it has shown last.
  DWELL_FN void publish(int l, T* field) {
    const lane_facts& me = lane_[l];
    for (int r = 0; me.columns != 0 && r < me.rows; ++r)
      show_if<false>(true, l, field, r, is_private(l, r) ? get(l, r) : seen(l, to_, r));
  }

  /// A pass reads one copy of the field and shows others what they need, or all that the team owns,
  /// in another. Row 0 of a pass is the one `rim` above the warp's first.
  DWELL_FN void begin(const T* from, T* to, bool whole) {
    field_ = from;
    to_ = to;
    whole_ = whole;
  }
  /// Row j of the pass is under way from here on; one group of fetches each. The neat text has no
  /// branches, so that arithmetic hides what it takes.
  template <bool Neat>
  DWELL_FN void fetch(int l, int j) {
    const lane_facts& me = lane_[l];
    const int r = j - rim_;
    const bool wanted = j < me.end && !within(r - kept_first_, me.kept), mine = is_private(l, r);
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
    const int r = j - rim_;
    const row v = read(within(r - kept_first_, lane_[l].kept) ? kept_at(l, r) : slot(l, j));
    fetch<Neat>(l, j + Ahead);
    return v;
  }
  /// The warp's own row r after the pass; other rows are nobody's.
  template <bool Neat>
  DWELL_FN void leave(int l, int r, const row& v) {
    const lane_facts& me = lane_[l];
    const bool mine = is_private(l, r);
    put_if(mine, l, r, v);
    show_if<Neat>(within(r, me.rows) && me.columns != 0 && (whole_ || !mine), l, to_, r, v);
  }
  /// Row j as it came in: the cells of it that keep their values do so in all levels, which ask for
  /// them until Levels * R rows later.
  DWELL_FN void remember(int l, int j, const row& v) {
    border::remember(border_, lane_[l].still, j, v);
  }
  /// Cells of row j that keep their values get them back: those of a column from here; whole rows,
  /// if there may be some, from the field, where both copies hold them.
  template <bool Rows>
  DWELL_FN void restore(int l, int j, row& v, const wave_habits& habits) {
    const lane_facts& me = lane_[l];
    border::restore(border_, me.still, j, v);
    if constexpr (Rows)
      if (within(j - (habits.first - R), R) || within(j - habits.last, R))
        v = row_from(field_ + (own_row_in_field(l, j - rim_) + static_cast<unsigned>(me.first)));
  }
  /// Where cell k of the lane's columns in row j of the pass lies in the field.
  DWELL_FN unsigned cell_in_field(int l, int j, int k) {
    return row_in_field(l, j < 0 ? 0 : j) + static_cast<unsigned>(column(l, k));
  }

 private:
  DWELL_FN int column(int l, int k) const { return columns_[l * RX + k]; }

  using border = wave_border<S, T>;
  static constexpr int R = radius_of<S>, layer = wave_layer_values<S, T>;
  static constexpr int wide = patch::wide;
  static constexpr int last_piece = (RX - wide) * perks_lanes;
  static_assert(RX % wide == 0 && RX <= 2 * wide && (Ahead & (Ahead - 1)) == 0);
  struct lane_facts {
    int top;           ///< row of the grid, the first of
    int rows;          ///< of the warp, its own,
    int own;           ///< of these private: from row `rim` on, or none;
    int kept;          ///< and of these, in scratch
    int end;           ///< of the rows that it fetches
    int first;         ///< column of the grid that its first one stands for
    unsigned columns;  ///< a bit for each of its columns that the warp owns
    typename border::cells still;
  };
  DWELL_FN static unsigned columns_of(const share& own, int l) {
    unsigned bits = 0;
    DWELL_UNROLL
    for (int k = 0; k < RX; ++k) {
      const int x = own.left(l) + k;
      bits |= static_cast<unsigned>(x >= own.x0 && x < own.x1) << k;
    }
    return bits;
  }

  /// Row r is the lane's, and nobody else needs it.
  DWELL_FN bool is_private(int l, int r) { return within(r - rim_, lane_[l].own); }
  // A private row of a lane.
  DWELL_FN row get(int l, int r) const {
    return keeps(r) ? read(kept_at(l, r)) : read(streamed_ + streamed_offset(l, r));
  }
  DWELL_FN void put_if(bool wanted, int l, int r, const row& v) const {
    const bool kept = keeps(r);
    write_if(wanted && kept, kept_at(l, r), v);
    write_if(wanted && !kept, streamed_ + streamed_offset(l, r), v);
  }
  /// The lane's cells that are its warp's own into row r of a copy of the field. Neat: all of them.
  template <bool Neat>
  DWELL_FN void show_if(bool wanted, int l, T* field, int r, const row& v) {
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
    const int r = j - rim_, beyond = r < 0 ? j : r - me.rows + rim_;
    if (within(r, me.rows)) return own_row_in_field(l, r);
    const int last = 2 * rim_ - 1;  // what lies beyond the rim is nobody's
    const int rim = rims_[l / 32 * 2 * rim_ + (beyond < last ? beyond : last)];
    return static_cast<unsigned>(rim) * static_cast<unsigned>(a_.size.x);
  }
  DWELL_FN bool keeps(int r) const { return within(r - kept_first_, a_.plan.scratch_rows); }
  /// Of so many private rows, how many are in scratch.
  DWELL_FN int kept_of(int own) const {
    const int n = rim_ + own - kept_first_;
    return n < 0 ? 0 : n < a_.plan.scratch_rows ? n : a_.plan.scratch_rows;
  }

  /// The column of the grid that column i of a warp stands for. Nobody uses what lies beyond the
  /// rim or a fixed border, and it might be a far team's, who writes while this one reads: such
  /// pieces stand for the warp's own first ones.
  DWELL_FN int column_for(const share& own, int i) const {
    const int x = own.left(0) + i, n = a_.size.x;
    if (own.used(i / RX) && (a_.edge != boundary::fixed || within(x, n)))
      return cell_for(a_.edge, x, n);
    return n % wide == 0 ? own.x0 + i % wide : own.x0;
  }
  /// The row of the grid for row i of a warp's rim: above, then below.
  DWELL_FN int rim_row(const share& own, int i) const {
    const int y = (i < rim_ ? own.first : own.last) + i % rim_ - (i < rim_ ? rim_ : 0),
              n = a_.size.y;
    if (a_.edge != boundary::fixed) return cell_for(a_.edge, y, n);
    return y < 0 ? 0 : y >= n ? n - 1 : y;
  }
  /// The same without a table, if the rim is not more than the grid.
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
  DWELL_FN T* kept_at(int l, int r) const { return kept_ + ((r - kept_first_) * layer + l * wide); }
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
  /// Of values that lie side by side.
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

  const sweep_call<S, T>& a_;
  int rim_;
  int skipped_;  ///< lanes of a warp before the first with private rows, which so begin with a line
  // What the compiler knows the size of comes first: it then knows where all of that lies.
  T *ring_, *border_;
  int *columns_, *rims_;
  T* kept_;
  int kept_first_, streamed_first_;  ///< of the warp's own rows, the first in scratch, in memory
  T* streamed_;
  const T* field_ = nullptr;
  T* to_ = nullptr;
  bool whole_ = false;
  decltype(std::declval<Team&>().template per_lane<lane_facts>()) lane_;
};

}  // namespace dwell
