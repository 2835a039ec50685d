// SPDX-License-Identifier: MIT
// The tile of one team in two dimensions, several steps in one pass (temporal blocking, as EBISU
// does it, here by waves in registers). Every warp goes down its own rows once: a row comes in, and
// level 1 adds it to the sums that it has begun; with that the row R above it is done, after one
// step. Level 2 takes that one and completes the row 2R above after two steps, and so on; the last
// level's row goes back to where it was. A cell is loaded and stored once in `Levels` steps, and no
// lane waits for another warp.
//
// A warp begins Levels * R rows above its own and ends as many below, and its lanes reach as far to
// the sides: what others own there it computes too, from what they published in the copy of the
// field that this pass reads; it publishes its own rim in the other copy. A copy is written again
// only after all neighbours have signalled the pass in which they read it (perks_sweep.hpp), so a
// pass knows no other meeting.
#pragma once
#include "dwell/execution/perks/perks_tile.hpp"
#include "dwell/execution/perks/wave_rows.hpp"
#include "dwell/execution/perks/wave_view.hpp"

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
        first_(team.warp_least([&](int l) {
          const share own = share_of(l);
          return fixed() && own.y0 == 0 ? own.rim : 0;
        })),
        above_(team.warp_most([&](int l) {
          const share own = share_of(l);
          return fixed() && own.y0 - own.rim < a.inner.y0 ? 1 : 0;
        })),
        below_(team.warp_least([&](int l) {
          const share own = share_of(l);
          return own.rows() + (fixed() && own.y1 + own.rim > a.inner.y1 ? own.rim - R : lag());
        })),
        beside_(team.warp_most([&](int l) {
          const share own = share_of(l);
          const bool inside = own.x0 - own.rim >= a.inner.x0 && own.x1 + own.rim <= a.inner.x1;
          return fixed() && !inside ? 1 : 0;
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
  static constexpr int R = radius_of<S>;
  static constexpr int turns_at_once = 1;
  static_assert(Team::lanes() == perks_lanes && Levels >= 1);

  using share = wave_share<S, T>;
  using view = wave_view<S, T>;
  using layer = typename view::layer;
  static constexpr int RX = view::RX;
  struct cascade {
    wave_sums<S, T> level[Levels];
  };
  struct journey {
    const T* from;
    T* to;
    bool whole;
    int steps;
  };
  /// Of a lane's cells.
  struct habits {
    unsigned fixed;    ///< a bit for each cell that keeps its value in every row,
    int first, last;   ///< and so do all in rows of the pass before `first` and from `last` on
    int above, below;  ///< others need the warp's own rows before `above` and from `below` on
    int x0, x1;        ///< the warp's own columns
  };

  /// Which cells keep their values when a level has taken row y.
  template <wave_text Text>
  struct still_cells {
    const habits& h;
    int y;
    bool rest;  ///< the level does nothing
    /// Shares of whole pieces lie so that a border's columns are the first or the last of a lane.
    static constexpr bool never(int, int i) {
      return Text == wave_text::plain || (Text == wave_text::sides && i >= R && i < RX - R);
    }
    DWELL_FN bool operator()(int behind, int k, int i) const {
      bool all = Text != wave_text::sides && (y - behind < h.first || y - behind >= h.last);
      if constexpr (Text == wave_text::any) all = all || rest;
      return all || (h.fixed >> (k * RX + i) & 1u) != 0;
    }
  };

  DWELL_FN bool fixed() const { return a_.edge == boundary::fixed; }
  DWELL_FN share share_of(int l) const { return share(a_, team_.worker(), l / 32); }
  DWELL_FN habits habits_of(int l, bool whole) {
    habits h;
    const share own = share_of(l);
    const bool fixed = a_.edge == boundary::fixed;
    const int left = own.left(l), top = own.y0 - own.rim, n = own.rows();
    h.fixed = 0;
    DWELL_UNROLL
    for (int i = 0; i < RX; ++i)
      h.fixed |= static_cast<unsigned>(fixed && (left + i < a_.inner.x0 || left + i >= a_.inner.x1))
                 << i;
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
    auto sums = team_.template per_lane<cascade>();
    auto habit = team_.template per_lane<habits>();
    rows_.begin(way.from);
    team_.each([&](int l) { habit[l] = habits_of(l, way.whole); });
    const int end = most_ + lag();
    if (!neat_ || way.steps < Levels) {
      start<false>(0);
      turns<wave_text::any>(way, sums, habit, 0, end);
      return;
    }
    start<true>(first_);
    // Level t + 1 has nothing to do before turn 2 * t * R. A text for half of the levels leaves out
    // most of that; one for each would be more than the cache for instructions holds.
    constexpr int half = (Levels + 1) / 2;
    int j = first_ + 2 * half * R;
    turns<wave_text::border, half>(way, sums, habit, first_, j);
    // Most warps lie within the grid. The first turns, those between and the last ones:
#pragma unroll 1
    for (int part = above_ ? 0 : 1; part < 3; ++part) {
      const int until = part == 0 ? (2 * Levels + 1) * R : part == 1 ? below_ : end;
      if (part != 1)
        turns<wave_text::border>(way, sums, habit, j, until);
      else if (beside_)
        turns<wave_text::sides>(way, sums, habit, j, until);
      else
        turns<wave_text::plain>(way, sums, habit, j, until);
      j = until > j ? until : j;
    }
  }
  template <bool Neat>
  DWELL_FN void start(int first) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int j = 0; j < wave_rows<S, T, Team>::Ahead; ++j)
        rows_.template fetch<Neat>(l, first + j);
    });
  }
  template <wave_text Text, int Active = Levels, class Cascades, class Habits>
  DWELL_FN void turns(const journey& way, Cascades& sums, Habits& habit, int j, int end) {
#pragma unroll turns_at_once
    for (; j < end; ++j) turn<Text, Active>(way, sums, habit, j);
  }
  /// Rows between the one that comes in and the one that is done, counted as a pass counts them.
  DWELL_FN int lag() const { return (a_.plan.depth + Levels) * R; }

  /// Row j comes in, and goes through levels 1 to `Active`.
  template <wave_text Text, int Active, class Cascades, class Habits>
  DWELL_FN void turn(const journey& way, Cascades& sums, Habits& habit, int j) {
    constexpr bool Neat = Text != wave_text::any;
    auto now = team_.template per_lane<layer>();
    auto seen = team_.template per_lane<view>();
    team_.each([&](int l) { now[l] = rows_.template take<Neat>(l, j); });
    unrolled<0, Active>([&](auto t) {
      view::spread(team_, seen, [&](int l) -> const layer& { return now[l]; });
      team_.each([&](int l) {
        now[l] = add<Text>(way, sums[l].level[t], seen[l], habit[l], l, t, j - t * R);
      });
    });
    if constexpr (Active == Levels)
      team_.each([&](int l) { leave<Neat>(way, l, j - lag(), now[l], habit[l]); });
  }

  /// Level t + 1 takes row y.
  template <wave_text Text>
  DWELL_FN layer add(const journey& way, wave_sums<S, T>& sums, const view& u, const habits& h,
                     int l, int t, int y) {
    const still_cells<Text> still{h, y, t >= way.steps};
    layer v = sums.add(u, a_.w, still);
    if (Text == wave_text::any && a_.source) {
      const T* p = a_.source + rows_.row_in_field(l, y - R < 0 ? 0 : y - R);
      DWELL_UNROLL
      for (int i = 0; i < RX; ++i)
        if (!still(R, 0, i)) v.v[i] += p[rows_.column(l, i)];
    }
    return v;
  }

  /// The warp's own row r after the pass; other rows are nobody's.
  template <bool Neat>
  DWELL_FN void leave(const journey& way, int l, int r, const layer& v, const habits& h) {
    rows_.put_if(r >= 0 && r < rows_.mine(l), l, r, v);
    const bool shown = r >= 0 && r < rows_.rows(l) && (r < h.above || r >= h.below);
    rows_.template show_if<Neat>(shown, l, way.to, r, v, h.x0, h.x1);
  }

  Team& team_;
  const sweep_call<S, T>& a_;
  wave_rows<S, T, Team> rows_;
  // Of the warp; of all of its warps, if a team plays all lanes:
  int most_;   ///< rows
  int first_;  ///< the first turn: what lies beyond a fixed border is nobody's
  bool above_;   ///< rows of the grid's upper border go through the levels in the first turns,
  int below_;    ///< and those of the lower one from this turn on, or never
  bool beside_;  ///< there are columns that keep their values
  bool neat_;
  const T* last_ = nullptr;  ///< the copy with the cells of lanes that own only some of theirs
};

}  // namespace dwell
