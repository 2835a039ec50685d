// SPDX-License-Identifier: MIT
// The tile of one team in two dimensions, several steps in one pass (temporal blocking, as EBISU
// does it, here by waves in registers). Every warp goes down its own rows once: level 0 of its
// lanes' windows takes a row, level 1 computes from it the row R above after one step, level 2 from
// that the row 2R above after two, and so on; the last level's row goes back to where it was. A
// cell is loaded and stored once in `Levels` steps, and no lane waits for another warp.
//
// A warp begins Levels * R rows above its own and ends as many below, and its lanes reach as far to
// the sides: what others own there it computes too, from what they published in the copy of the
// field that this pass reads; it publishes its own rim in the other copy. A copy is written again
// only after all neighbours have signalled the pass in which they read it (perks_sweep.hpp), so a
// pass knows no other meeting.
#pragma once
#include "dwell/execution/perks/perks_tile.hpp"
#include "dwell/execution/perks/row_window.hpp"
#include "dwell/execution/perks/wave_rows.hpp"

namespace dwell {

/// What a turn does beside the stencil: nothing; columns of the sides keep their values; so do
/// rows; a source may be added too, levels may rest, and rows and shares may be odd.
enum class wave_text { plain, sides, border, any };

template <class S, class T, class Team, int Levels>
class perks_wave {
 public:
  DWELL_FN perks_wave(Team& team, const sweep_call<S, T>& a)
      : team_(team),
        a_(a),
        rows_(team, a),
        most_(team.warp_most([&](int l) { return share_of(l).rows(); })),
        below_(team.warp_least([&](int l) {
          const share own = share_of(l);
          return own.rows() + (own.y1 + own.rim > a.inner.y1 ? own.rim : lag());
        })),
        neat_(!a.source && a.plan.depth == Levels &&
              team.warp_least([&](int l) { return rows_.neat(share_of(l)) ? 1 : 0; }) == 1) {}

  /// The team's own rows from a copy of the field.
  DWELL_FN void load(const T* field) {
    last_ = field;
    team_.each([&](int l) {
      for (int r = 0; r < rows_.mine(l); ++r) rows_.put_if(true, l, r, rows_.seen(l, field, r));
    });
  }

  /// Steps, at most `Levels`, in one pass which reads rims from one copy of the field and leaves
  /// the team's own, or all that it owns, in the other.
  DWELL_FN void advance(int steps, const T* from, T* to, bool whole) {
    last_ = to;
    pass({from, to, whole, steps});
  }

  /// All that the team owns into a copy of the field.
  DWELL_FN void publish(T* field) {
    team_.each([&](int l) {
      const share own = share_of(l);
      const bool mine = rows_.mine(l) > 0;
      for (int r = 0; own.shares(l) && r < own.rows(); ++r)
        rows_.template show_if<false>(
            true, l, field, r, mine ? rows_.get(l, r) : rows_.seen(l, last_, r), own.x0, own.x1);
    });
  }

  /// Rims are read where they are.
  DWELL_FN void take(const T*) {}

 private:
  static constexpr int R = radius_of<S>, RX = perks_across<S>;
  /// Turns of the loop over rows in which the windows' rows come by all their names.
  static constexpr int unrolled = 2 * R + 1;
  static_assert(Team::lanes() == perks_lanes && Levels >= 1);

  using share = wave_share<S, T>;
  using window = row_window<S, T, RX>;
  using row = typename window::row;
  struct cascade {
    window at[Levels];
  };
  struct journey {
    const T* from;
    T* to;
    bool whole;
    int steps;
  };
  /// The windows of one level.
  template <class Cascades>
  struct level {
    Cascades& all;
    int t;
    DWELL_FN window& operator[](int l) const { return all[l].at[t]; }
  };
  /// Of a lane's cells.
  struct habits {
    bool fixed[RX];    ///< columns that keep their values,
    int first, last;   ///< and so do rows of the pass before `first` and from `last` on
    int above, below;  ///< others need the warp's own rows before `above` and from `below` on
    int x0, x1;        ///< the warp's own columns
  };

  DWELL_FN share share_of(int l) const { return share(a_, team_.worker(), l / 32); }
  DWELL_FN habits habits_of(int l, bool whole) {
    habits h;
    const share own = share_of(l);
    const bool fixed = a_.edge == boundary::fixed;
    const int left = own.left(l), top = own.y0 - own.rim, n = own.rows();
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i)
      h.fixed[i] = fixed && (left + i < a_.inner.x0 || left + i >= a_.inner.x1);
    h.first = fixed ? a_.inner.y0 - top : -(1 << 30);
    h.last = fixed ? a_.inner.y1 - top : 1 << 30;
    // Columns near a side are needed in all rows, and so are those of a lane that owns only some of
    // its own: it has no place for them.
    const bool all =
        whole || rows_.mine(l) == 0 || left < own.x0 + own.rim || left + RX > own.x1 - own.rim;
    const bool shares = own.shares(l);
    h.above = !shares ? 0 : all ? n : own.rim;
    h.below = !shares ? n : n - own.rim;
    h.x0 = own.x0;
    h.x1 = own.x1;
    return h;
  }

  /// A neat pass is nothing but all levels over whole pieces, as nearly all are. Then the rows that
  /// keep their values at a fixed border are in the first turns and in the last ones.
  DWELL_FN void pass(const journey& way) {
    auto win = team_.template per_lane<cascade>();
    auto habit = team_.template per_lane<habits>();
    rows_.begin(way.from);
    team_.each([&](int l) { habit[l] = habits_of(l, way.whole); });
    const int end = most_ + lag();
    if (!neat_ || way.steps < Levels) {
      start<false>();
      turns<wave_text::any>(way, win, habit, 0, end);
      return;
    }
    start<true>();
    // Level t has nothing to do before turn 2 * t * R. A text for half of the levels leaves out
    // most of that; one for each would be more than the cache for instructions holds, as would a
    // second copy of the border's.
    constexpr int half = (Levels + 1) / 2;
    turns<wave_text::border, half - 1>(way, win, habit, 0, 2 * half * R);
    const bool fixed = a_.edge == boundary::fixed;
    int j = 2 * half * R;
#pragma unroll 1
    for (int part = fixed ? 0 : 1; part < 2; ++part) {
      const int until = part == 0 ? (2 * Levels + 1) * R : end;
      if (fixed) turns<wave_text::border>(way, win, habit, j, until);
      if (!fixed) turns<wave_text::plain>(way, win, habit, j, until);
      j = until;
      if (part == 0 && j < below_) {
        turns<wave_text::sides>(way, win, habit, j, below_);
        j = below_;
      }
    }
  }
  template <bool Neat>
  DWELL_FN void start() {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int j = 0; j < wave_rows<S, T, Team>::Ahead; ++j) rows_.template fetch<Neat>(l, j);
    });
  }
  template <wave_text Text, int Active = Levels, class Cascades, class Habits>
  DWELL_FN void turns(const journey& way, Cascades& win, Habits& habit, int j, int end) {
#pragma unroll unrolled
    for (; j < end; ++j) turn<Text, Active>(way, win, habit, j);
  }
  /// Rows between the one that comes in and the one that is done, counted as a pass counts them.
  DWELL_FN int lag() const { return (a_.plan.depth + Levels) * R; }

  /// Row j comes in, and goes through levels 1 to `Active`.
  template <wave_text Text, int Active, class Cascades, class Habits>
  DWELL_FN void turn(const journey& way, Cascades& win, Habits& habit, int j) {
    constexpr bool Neat = Text != wave_text::any;
    window::push(team_, level<Cascades>{win, 0},
                 [&](int l) { return rows_.template take<Neat>(l, j); });
    auto out = team_.template per_lane<row>();
    DWELL_UNROLL
    for (int t = 1; t <= Active; ++t) {
      team_.each([&](int l) { out[l] = next<Text>(way, win[l].at[t - 1], habit[l], l, t, j); });
      if (t < Levels) window::push(team_, level<Cascades>{win, t}, [&](int l) { return out[l]; });
    }
    if constexpr (Active == Levels)
      team_.each([&](int l) { leave<Neat>(way, l, j - lag(), out[l], habit[l]); });
  }

  /// The middle row of a window one step later.
  template <wave_text Text>
  DWELL_FN row next(const journey& way, const window& w, const habits& h, int l, int t, int j) {
    row v;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i)
      v.v[i] = S::template apply<T>(typename window::template near<false>{w, i}, a_.w);
    if constexpr (Text == wave_text::plain) return v;
    const int y = j - t * R;
    if (Text == wave_text::any && a_.source) {
      const T* p = a_.source + rows_.row_in_field(l, y < 0 ? 0 : y);
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i) v.v[i] += p[rows_.column(l, i)];
    }
    bool still = Text != wave_text::sides && (y < h.first || y >= h.last);
    if constexpr (Text == wave_text::any) still = still || t > way.steps;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i) v.v[i] = still || h.fixed[i] ? w.here[R][i] : v.v[i];
    return v;
  }

  /// The warp's own row r after the pass; other rows are nobody's.
  template <bool Neat>
  DWELL_FN void leave(const journey& way, int l, int r, const row& v, const habits& h) {
    rows_.put_if(r >= 0 && r < rows_.mine(l), l, r, v);
    const bool shown = r >= 0 && r < rows_.rows(l) && (r < h.above || r >= h.below);
    rows_.template show_if<Neat>(shown, l, way.to, r, v, h.x0, h.x1);
  }

  Team& team_;
  const sweep_call<S, T>& a_;
  wave_rows<S, T, Team> rows_;
  // Of the warp; of all of its warps, if a team plays all lanes:
  int most_;   ///< rows
  int below_;  ///< the turn from which rows of the grid's lower border come out of a level, or none
  bool neat_;
  const T* last_ = nullptr;  ///< the copy with the cells of lanes that own only some of theirs
};

}  // namespace dwell
