// SPDX-License-Identifier: MIT
// The tile of one team, several steps in one pass (temporal blocking, as EBISU does it, here by
// waves in registers). It goes down the layers once, rows in two dimensions and planes in three: a
// layer comes in, and with it level 1 completes the layer R above it, after one step. Level 2 takes
// that one and completes the layer R above it after two steps, and so on; the last level's layer
// goes back to where it was. A cell is loaded and stored once in `Levels` steps.
//
// In two dimensions every warp goes down rows of its own, and no lane waits for another warp. In
// three the warps of a team lie below one another in a plane and meet once per plane, see
// turn_of_team(), wave_planes.hpp and wave_edges.hpp.
//
// A warp (a team in three dimensions) begins Levels * R layers above its own and ends as many
// below, and its lanes reach as far to the sides: what others own there it computes too, from what
// they published in the copy of the field that this pass reads; it publishes its own rim in the
// other copy. A copy is written again only after all neighbours have signalled the pass in which
// they read it (share_flags.hpp), so a pass knows no other meeting of teams; in two dimensions
// warps signal, each its own pass.
#pragma once
#include "dwell/execution/perks/wave_level.hpp"
#include "dwell/execution/perks/wave_planes.hpp"
#include "dwell/execution/perks/wave_rows.hpp"

namespace dwell {

/// What a turn does beside the stencil: nothing; cells at the sides keep their values; so do whole
/// layers; a source may be added too, levels may rest, and rows and shares may be odd.
enum class wave_text { plain, sides, border, any };

template <class S, class T, class Team>
using wave_layers =
    std::conditional_t<S::dims == 3, wave_planes<S, T, Team>, wave_rows<S, T, Team>>;

template <class S, class T, class Team, int Levels>
class perks_wave {
 public:
  DWELL_FN perks_wave(Team& team, const sweep_call<S, T>& a)
      : team_(team),
        a_(a),
        edges_(S::dims == 3 ? team.template scratch<T>((Levels - 1) * wave_edge_values<S, T>)
                            : nullptr),
        habits_(team.template scratch<habits>(perks_lanes)),
        layers_(team, a),
        most_(team.warp_most([&](int l) { return share_of(l).layers(); })),
        below_(team.warp_least([&](int l) {
          const share own = share_of(l);
          const bool ends = fixed() && own.last + own.rim > share::inner_last(a);
          return own.layers() + (ends ? own.rim - R : never);
        })),
        where_(where()) {
    team.each([&](int l) { habits_[l] = habits_of(l); });
  }

  /// The team's own layers from a copy of the field.
  DWELL_FN void load(T* field) {
    layers_.begin(field, field, true);
    team_.each([&](int l) { layers_.load(l); });
  }

  /// Steps, at most `Levels`, in one pass which reads rims from one copy of the field and leaves
  /// the team's own, or all that it owns, in the other.
  DWELL_FN void advance(int steps, const T* from, T* to, bool whole) {
    layers_.begin(from, to, whole);
    pass(steps);
  }

  /// All that the team owns into a copy of the field.
  DWELL_FN void publish(T* field) {
    team_.each([&](int l) { layers_.publish(l, field); });
  }

  /// Rims are read where they are.
  DWELL_FN void take(const T*) {}

 private:
  static constexpr int R = radius_of<S>;
  static constexpr int never = 1 << 30;
  // Where the warp lies: its passes are neat if they do all levels (see pass()); it begins at a
  // fixed border; layers of that go through the levels in its first turns; columns of one do; in
  // three dimensions rows of one do.
  static constexpr int neat = 1, top = 2, above = 4, beside = 8, across = 16;
  static_assert(Team::lanes() == perks_lanes && Levels >= 1);

  using layers = wave_layers<S, T, Team>;
  using share = wave_share<S, T>;
  using level = wave_level<S, T>;
  using layer = typename level::layer;
  using patch = wave_patch<S, T>;
  static constexpr int RX = patch::across, at_once = level::turns;
  static constexpr bool restores = wave_restores<S>;
  /// Layers by which a level is behind the one before it. In three dimensions it takes what that
  /// one left in the last turn, so that one meeting serves all levels.
  static constexpr int late = S::dims == 3 ? R + 1 : R;
  struct cascade {
    wave_level<S, T> level[Levels];
    layer left[S::dims == 3 ? Levels : 1];  ///< by each level, for the next one
  };
  using habits = wave_habits;

  /// Which cells keep their values when a level has taken layer y.
  template <wave_text Text>
  struct still_cells {
    const habits& h;
    int y;
    bool rest;  ///< the level does nothing
    /// Shares of whole pieces lie so that a border's columns are the first or the last of a lane.
    static constexpr bool never(int, int i) {
      return Text == wave_text::plain || (restores && Text != wave_text::any) ||
             (S::dims == 2 && Text == wave_text::sides && i >= R && i < RX - R);
    }
    DWELL_FN bool operator()(int behind, int k, int i) const {
      bool all = Text != wave_text::sides && (y - behind < h.first || y - behind >= h.last);
      if constexpr (Text == wave_text::any) all = all || rest;
      return all || (h.fixed >> (k * RX + i) & 1u) != 0;
    }
  };

  /// Of the warp; in three dimensions of the team but for `across`, since all its warps go through
  /// the same turns; of all warps, if a team plays all lanes.
  DWELL_FN int where() {
    const auto all = [&](int fact, auto&& f) {
      return team_.warp_least([&](int l) { return fixed() && f(share_of(l), l) ? fact : 0; });
    };
    const auto any = [&](int fact, auto&& f) {
      return team_.warp_most([&](int l) { return fixed() && f(share_of(l), l) ? fact : 0; });
    };
    const bool whole = !a_.source && a_.plan.depth == Levels && layers_.neat();
    const auto inner = share::inner_first(a_);
    return (whole ? neat : 0) | all(top, [](const share& own, int) { return own.first == 0; }) |
           any(above, [&](const share& own, int) { return own.first - own.rim < inner; }) |
           any(beside, [&](const share& own, int) { return !own.columns_within(a_.inner); }) |
           any(across, [&](const share& own, int l) { return !own.rows_within(a_.inner, l); });
  }
  DWELL_FN bool fixed() const { return a_.edge == boundary::fixed; }
  DWELL_FN share share_of(int l) const { return share(a_, team_.worker(), l / 32); }
  DWELL_FN habits habits_of(int l) {
    const share own = share_of(l);
    const int left = own.left(l), top = own.top(l), before = own.first - own.rim;
    habits h{0, -never, never};
    if (!fixed()) return h;
    DWELL_UNROLL
    for (int c = 0; c < patch::cells; ++c) {
      const int x = left + c % RX, y = top + c / RX;
      const bool inside = x >= a_.inner.x0 && x < a_.inner.x1 &&
                          (!share::solid || (y >= a_.inner.y0 && y < a_.inner.y1));
      h.fixed |= static_cast<unsigned>(!inside) << c;
    }
    h.first = share::inner_first(a_) - before;
    h.last = share::inner_last(a_) - before;
    return h;
  }

  /// A neat pass is nothing but all levels over whole pieces, as nearly all are. Then the layers
  /// that keep their values at a fixed border are in the first turns and in the last ones.
  DWELL_FN void pass(int steps) {
    if (most_ == 0) return;
    auto levels = team_.template per_lane<cascade>();
    auto habit = team_.template per_lane<habits>();
    team_.each([&](int l) { habit[l] = habits_[l]; });
    const int end = most_ + lag<wave_text::any>();
    if (!(where_ & neat) || steps < Levels) {
      start<false>(0);
      turns<wave_text::any>(steps, levels, habit, 0, end);
      return;
    }
    // What lies beyond a fixed border is nobody's.
    const int first = where_ & top ? Levels * R : 0;
    start<true>(first);
    // Level t + 1 has nothing to do before turn 2 * t * R, or before row 0 of the grid comes to it.
    // A text for half of the levels leaves out most of that; one for each would be more than the
    // cache for instructions holds.
    constexpr int half = Levels / 2;
    int j = first + half * (where_ & top ? late : R + late);
    if constexpr (half > 0) turns<wave_text::border, half>(steps, levels, habit, first, j);
      // Most warps lie within the grid. The first turns, those between and the last ones:
#pragma unroll 1
    for (int part = where_ & above ? 0 : 1; part < 3; ++part) {
      const int until = part == 0                   ? (Levels + 2) * R + (Levels - 1) * late
                        : part == 1 && below_ < end ? below_
                                                    : end;
      if (part != 1)
        turns<wave_text::border>(steps, levels, habit, j, until);
      else if (where_ & (beside | across))
        turns<wave_text::sides>(steps, levels, habit, j, until);
      else
        turns<wave_text::plain>(steps, levels, habit, j, until);
      j = until > j ? until : j;
    }
  }
  template <bool Neat>
  DWELL_FN void start(int first) {
    team_.each([&](int l) {
      DWELL_UNROLL
      for (int j = 0; j < layers::Ahead; ++j) layers_.template fetch<Neat>(l, first + j);
    });
  }
  template <wave_text Text, int Active = Levels, class Cascades, class Habits>
  DWELL_FN void turns(int steps, Cascades& levels, Habits& habit, int j, int end) {
#pragma unroll at_once
    for (; j < end; ++j) {
      if constexpr (S::dims == 3)
        turn_of_team<Text, Active>(steps, levels, habit, j);
      else
        turn<Text, Active>(steps, levels, habit, j);
    }
  }
  /// Layers between the one that comes in and the one that is done, as a pass counts them.
  template <wave_text Text>
  DWELL_FN int lag() const {
    const int rim = (Text == wave_text::any ? a_.plan.depth : Levels) * R;
    return rim + R + (Levels - 1) * late;
  }

  /// Layer j comes in, and goes through levels 1 to `Active`.
  template <wave_text Text, int Active, class Cascades, class Habits>
  DWELL_FN void turn(int steps, Cascades& levels, Habits& habit, int j) {
    constexpr bool Neat = Text != wave_text::any;
    auto now = team_.template per_lane<layer>();
    constexpr bool layers_too = Text == wave_text::border,
                   restored = restores && (layers_too || Text == wave_text::sides);
    team_.each([&](int l) {
      now[l] = layers_.template take<Neat>(l, j);
      if constexpr (restored) layers_.remember(l, j, now[l]);
    });
    unrolled<0, Active>([&](auto t) {
      level::step(
          team_, [&](int l) -> level& { return levels[l].level[t]; }, now, a_.w,
          [&](int l) {
            return still_cells<Text>{habit[l], j - t * R, t >= steps};
          },
          [](int, int) {});
      if constexpr (restored)
        team_.each([&](int l) {
          layers_.template restore<layers_too>(l, j - (t + 1) * R, now[l], habit[l]);
        });
      if (Text == wave_text::any && a_.source)
        team_.each([&](int l) { add_source(now[l], {habit[l], j - (t + 1) * R, t >= steps}, l); });
    });
    if constexpr (Active == Levels)
      team_.each([&](int l) { layers_.template leave<Neat>(l, j - lag<Text>(), now[l]); });
  }
  /// The same in three dimensions: the team meets, then every level takes what the one before it
  /// left in the last turn; the last level first, so that nothing is kept twice. The next plane is
  /// fetched at the end: at the beginning all warps, which have just met, had to wait for that.
  template <wave_text Text, int Active, class Cascades, class Habits>
  DWELL_FN void turn_of_team(int steps, Cascades& levels, Habits& habit, int j) {
    constexpr bool Neat = Text != wave_text::any;
    constexpr bool layers_too = Text == wave_text::border,
                   restored = layers_too || Text == wave_text::sides;
    team_.section([&](int) { layers_.await(); });
    unrolled<0, Active>([&](auto back) {
      constexpr int t = Active - 1 - back;
      auto now = team_.template per_lane<layer>();
      team_.each([&](int l) {
        now[l] = t > 0 ? levels[l].left[t - 1] : layers_.get(l, j);
        if constexpr (restored && t == 0) layers_.remember(l, j, now[l]);
      });
      level::step(
          team_, [&](int l) -> level& { return levels[l].level[t]; }, now, a_.w,
          [&](int l) {
            return still_cells<Text>{habit[l], j - t * late, t >= steps};
          },
          [&](int l, int k) {
            return t > 0 ? edges_.beyond(l, t - 1, j - 1, k) : layers_.beyond(l, j, k);
          });
      if (Text == wave_text::any && a_.source)
        team_.each([&](int l) { add_source(now[l], {habit[l], j - t * late - R, t >= steps}, l); });
      team_.each([&](int l) {
        if constexpr (restored)
          layers_.template restore<layers_too>(l, j - t * late - R, now[l], habit[l]);
        if constexpr (t == Levels - 1) {
          layers_.template leave<Neat>(l, j - lag<Text>(), now[l]);
        } else {
          levels[l].left[t] = now[l];
          edges_.show(l, t, j, now[l]);
        }
      });
    });
    team_.each([&](int l) { layers_.template fetch<Neat>(l, j + layers::Ahead); });
  }
  /// To layer still.y, but where cells keep their values.
  DWELL_FN void add_source(layer& v, const still_cells<wave_text::any>& still, int l) {
    DWELL_UNROLL
    for (int c = 0; c < patch::cells; ++c)
      if (!still(0, c / RX, c % RX)) v.v[c] += a_.source[layers_.cell_in_field(l, still.y, c)];
  }

  Team& team_;
  const sweep_call<S, T>& a_;
  wave_edges<S, T> edges_;
  habits* habits_;  ///< of the lanes, each its own
  layers layers_;
  // Of the same as where():
  int most_;   ///< layers
  int below_;  ///< the turn from which layers of a fixed border come below, or never
  int where_;
};

}  // namespace dwell
