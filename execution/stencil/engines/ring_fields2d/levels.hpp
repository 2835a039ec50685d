// SPDX-License-Identifier: MIT
// What one warp of the chain does: `steps` steps of every row that passes, of all fields. A lane
// holds `across` neighbouring cells of a row and keeps, for every stage of every step, the rows of
// each array that the stage reads before the one that arrives. When a row arrives, the stage makes
// the row `delay` before it, and the new values arrive at the next stage at once: of the row that
// arrives a stage reads the cell's own column only, so a cell goes through all stages of all steps
// without its neighbours. Then the row takes the place of the oldest one. The loop's body is a whole
// period of these places, so that no register is copied.
#pragma once
#include <type_traits>

#include "dwell/base/cell_piece.hpp"
#include "dwell/execution/stencil/engines/ring2d/strips.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/transfers.hpp"

namespace dwell {

/// What a row needs beside the stencil. none: not even that, it is passed on; plain: nothing;
/// sides: the first and the last columns of the field keep their values, which are those of the
/// first and the last lane; rows: whole rows may too; any: so may columns anywhere.
enum class chain_path { none, plain, sides, rows, any };

template <int N>
using chain_number = std::integral_constant<int, N>;

template <class S, class T, class Team, chain_config C>
class chain_levels {
  using sizes = chain_sizes<S, T, C>;
  using rows = kept_rows<S, C>;
  static constexpr int arrays = sizes::arrays, carried = sizes::carried, across = C.across, N = C.rows;
  static constexpr int substages = rows::substages, reach = step_columns<S>();
  static constexpr int turn = sizes::turn, per_turn = turn / N;

 public:
  DWELL_FN chain_levels(Team& team, const fields_pass<S, T>& a, int number)
      : team_(team),
        a_(a),
        strips_{sizes::width, sizes::halo, a.nx, a.beyond},
        link_(team, number, number == a.warps - 1, number * sizes::aux_lag),
        number_(number),
        at_(a.runs.cut[team.worker()]),
        stop_(a.runs.cut[team.worker() + 1]) {
    kept_ = team.template per_lane<kept>();
    team.each([&](int l) __attribute__((always_inline)) {
      DWELL_UNROLL
      for (int k = 0; k < rows::all; ++k) {
        DWELL_UNROLL
        for (int i = 0; i < across + 2 * reach; ++i) kept_[l].v[k][i] = T{};
      }
    });
    open();
  }

  DWELL_FN bool more() const { return left_ > 0; }
  /// All ticks, by a warp of its own.
  DWELL_FN void run_all() {
    while (more()) {
      const stretch next = stretch_here();
      left_ -= next.turns * per_turn;
      if (next.path == chain_path::none)
        turns_of<chain_path::none>(next.turns);
      else if (next.path == chain_path::any)
        turns_of<chain_path::any>(next.turns);
      else if (next.path == chain_path::rows)
        turns_of<chain_path::rows>(next.turns);
      else if (next.path == chain_path::sides)
        turns_of<chain_path::sides>(next.turns);
      else
        turns_of<chain_path::plain>(next.turns);
      if (left_ == 0) advance();
    }
  }
  /// One tick, where one thread plays all warps.
  DWELL_FN void run(int) {
    if (!more()) return;
    if (tick_ == 0) path_ = stretch_here().path;
    one_tick<0>();
    tick_ = tick_ + 1 == per_turn ? 0 : tick_ + 1;
    if (--left_ == 0) advance();
  }

 private:
  struct kept {
    T v[rows::all > 0 ? rows::all : 1][across + 2 * reach];
  };
  /// A lane's cells of the row that arrives at each stage, and of the one that leaves the last.
  struct arrivals {
    T v[substages + 1][arrays][across];
  };
  struct stretch {
    chain_path path;
    int turns;
  };
  /// Cells of the strip that keep their values.
  struct border {
    int top, bottom;   ///< rows before the one and from the other on
    int first, last;   ///< and columns, counted from the strip's first
    bool left, right;  ///< the strip is the field's first, its last
  };

  DWELL_FN void open() {
    left_ = 0;
    if (at_ >= stop_) return;
    segment_ = segment_at<S>(at_, stop_, a_.ny, a_.warps * C.steps * step_rows<S>(), turn,
                             strips_.beyond);
    left_ = segment_.ticks * per_turn;
    y_ = segment_.begin - number_ * C.steps * step_delay<S>();
    const int late = strips_.origin(segment_.strip) & (sizes::unit - 1);
    late_ = late;
    late_in_ = number_ == 0 ? late : 0;
    late_out_ = number_ == a_.warps - 1 ? late : 0;
    make_border();
  }
  DWELL_FN void advance() {
    at_ = segment_.next(a_.ny);
    open();
  }
  DWELL_FN stretch stretch_here() const {
    const int turns = (left_ + per_turn - 1) / per_turn;
    const auto at_most = [&](int n) { return n < turns ? n : turns; };
    ring_rows right = segment_.rows_of(number_, C.steps * step_rows<S>(), a_.ny, strips_.beyond);
    right.until += late_rows<S>;
    if (y_ + turn <= right.from) return {chain_path::none, at_most((right.from - y_) / turn)};
    if (y_ >= right.until) return {chain_path::none, turns};
    const stretch s = stretch_of_computed(turns);
    const int rest = (right.until - y_ + turn - 1) / turn;
    return {s.path, s.turns < rest ? s.turns : rest};
  }
  DWELL_FN stretch stretch_of_computed(int turns) const {
    if (strips_.beyond) return {chain_path::plain, turns};
    if (a_.nx < sizes::width) return {chain_path::any, turns};
    const auto at_most = [&](int n) { return n < turns ? n : turns; };
    // Rows that the steps make of a row that arrives lie up to that many rows before it.
    const int low = C.steps * step_delay<S>() + S::radius, high = a_.ny - S::radius;
    if (y_ < low) return {chain_path::rows, at_most((low - y_ + turn - 1) / turn)};
    if (y_ + turn > high) return {chain_path::rows, turns};
    const bool beside = segment_.strip == 0 || segment_.strip == strips_.count() - 1;
    return {beside ? chain_path::sides : chain_path::plain, at_most((high - y_) / turn)};
  }
  DWELL_FN void make_border() {
    constexpr int never = 1 << 30;
    const int origin = strips_.origin(segment_.strip);
    if (strips_.beyond) {
      border_ = {-never, never, -never, never, false, false};
    } else {
      border_ = {S::radius,
                 a_.ny - S::radius,
                 S::radius - origin,
                 a_.nx - S::radius - origin,
                 segment_.strip == 0,
                 segment_.strip == strips_.count() - 1};
    }
  }

  template <chain_path Path>
  DWELL_FN void turns_of(int n) {
#pragma unroll 1
    for (; n > 0; --n)
      unrolled<0, per_turn>([&](auto t) __attribute__((always_inline)) { tick<Path, t>(); });
  }
  template <int Tick>
  DWELL_FN void one_tick() {
    if constexpr (Tick < per_turn) {
      if (tick_ != Tick) return one_tick<Tick + 1>();
      if (path_ == chain_path::none) tick<chain_path::none, Tick>();
      if (path_ == chain_path::plain) tick<chain_path::plain, Tick>();
      if (path_ == chain_path::sides) tick<chain_path::sides, Tick>();
      if (path_ == chain_path::rows) tick<chain_path::rows, Tick>();
      if (path_ == chain_path::any) tick<chain_path::any, Tick>();
    }
  }
  template <chain_path Path, int Tick>
  DWELL_FN void tick() {
    link_.enter();
    if constexpr (Path != chain_path::none)
      unrolled<0, N>([&](auto r) __attribute__((always_inline)) {
        row<Path, (Tick * N + r) % rows::period(), r>();
        link_.pass_aux();
      });
    else
      for (int r = 0; r < N; ++r) link_.pass_aux();
    link_.leave();
    y_ += N;
  }

  /// What a cell of column I reads in stage Q.
  template <int Phase, int Q, int I>
  struct near {
    const kept& before;
    const arrivals& now;
    template <int A, int Dy, int Dx>
    DWELL_FN T tap() const {
      constexpr int back = delay_of<S, Q % S::stages> - Dy;
      if constexpr (A >= carried) {
        static_assert(Dy == 0 && Dx == 0);
        if constexpr (Q == 0)
          return now.v[0][A][I];
        else
          return before.v[rows::template place<0, A>(Phase, Q * delay_of<S, 0>)][reach + I];
      } else if constexpr (is_renamed<S, A>() && Q == 0) {
        static_assert(Dy == 0 && Dx == 0);
        return now.v[0][A][I];
      } else if constexpr (is_renamed<S, A>()) {
        static_assert(Dy == 0 && Dx == 0);
        constexpr int from = S::template copy_of<0>(A);
        return before
            .v[rows::template place<Q - 1, from>(Phase, 2 * delay_of<S, 0>)][reach + I];
      } else if constexpr (back == 0) {
        static_assert(Dx == 0);
        return now.v[Q][A][I];
      } else {
        return before.v[rows::template place<Q, A>(Phase, back)][reach + I + Dx];
      }
    }
  };

  /// The rows that stage Q reads beside a cell's column get the cells of the lanes beside it.
  template <int Phase, int Q, int A, int Back>
  DWELL_FN void exchange() {
    if constexpr (Q < substages) {
      if constexpr (A == arrays) {
        exchange<Phase, Q + 1, 0, 1>();
      } else if constexpr (Back > rows::template count<Q, A>()) {
        exchange<Phase, Q, A + 1, 1>();
      } else {
        constexpr int sideways = columns_read<Q, A, Back>();
        if constexpr (sideways > 0)
          team_.template spread<sideways>([&](int l) __attribute__((always_inline)) {
            return kept_[l].v[rows::template place<Q, A>(Phase, Back)] + (reach - sideways);
          });
        exchange<Phase, Q, A, Back + 1>();
      }
    }
  }
  template <int Q, int A, int Back>
  static constexpr int columns_read() {
    constexpr int g = Q % S::stages;
    int most = 0;
    for (const field_tap& t : S::template taps<g>())
      if (t.array == A && delay_of<S, g> - t.dy == Back) most = std::max(most, t.dx < 0 ? -t.dx : t.dx);
    return most;
  }
  /// Columns to the left in which stage Q reads the oldest row of an array, whose place the row that
  /// arrives takes only behind these.
  template <int Q, int A>
  static constexpr int columns_behind() {
    constexpr int g = Q % S::stages, oldest = rows::template count<Q, A>();
    int most = 0;
    for (const field_tap& t : S::template taps<g>())
      if (t.array == A && delay_of<S, g> - t.dy == oldest) most = std::max(most, -t.dx);
    return most;
  }

  template <chain_path Path, int Phase, int R>
  DWELL_FN void row() {
    exchange<Phase, 0, 0, 1>();
    const int y = y_ + R;
    team_.each([&](int l) __attribute__((always_inline)) {
      arrivals now;
      unrolled<0, (C.ahead < across ? C.ahead : across)>(
          [&](auto i) __attribute__((always_inline)) { load<R, i>(l, now); });
      unrolled<0, across>([&](auto i) __attribute__((always_inline)) {
        if constexpr (i + C.ahead < across) load<R, i + C.ahead>(l, now);
        stages<Path, Phase, 0, i>(l, now, y);
        put_all<Phase, R, 0, i>(l, now);
        keep_all<Phase, 0, 0, i>(l, now);
      });
    });
  }
  template <int R, int I>
  DWELL_FN void load(int l, arrivals& now) const {
    DWELL_UNROLL
    for (int k = 0; k < carried; ++k)
      now.v[0][k][I] = link_.from(R * carried + k, late_in_).get(l, I);
    DWELL_UNROLL
    for (int k = carried; k < arrays; ++k)
      now.v[0][k][I] = link_.aux(k - carried, late_).get(l, I);
  }
  /// A renamed field leaves as late as it came: what the other one was before the last step.
  template <int Phase, int R, int A, int I>
  DWELL_FN void put_all(int l, const arrivals& now) {
    if constexpr (A < carried) {
      const auto to = link_.to(R * carried + A, late_out_);
      if constexpr (is_renamed<S, A>())
        to.put(l, I,
               kept_[l].v[rows::template place<substages - 1, S::template copy_of<0>(A)>(
                   Phase, 2 * delay_of<S, 0>)][reach + I]);
      else
        to.put(l, I, now.v[substages][A][I]);
      put_all<Phase, R, A + 1, I>(l, now);
    }
  }

  /// Stage Q of a cell, and all behind it.
  template <chain_path Path, int Phase, int Q, int I>
  DWELL_FN void stages(int l, arrivals& now, int y) {
    if constexpr (Q < substages) {
      constexpr int g = Q % S::stages;
      const near<Phase, Q, I> at{kept_[l], now};
      T next[S::fields];
      S::template step<g, T>(at, a_.p, next);
      const int made = y - delay_of<S, g>;
      carry<Path, Phase, Q, I, 0>(l, at, next, now, made);
      stages<Path, Phase, Q + 1, I>(l, now, made);
    }
  }
  template <chain_path Path, int Phase, int Q, int I, int A>
  DWELL_FN void carry(int l, const near<Phase, Q, I>& at, const T* next, arrivals& now, int y) {
    if constexpr (A < carried && is_renamed<S, A>()) {
      carry<Path, Phase, Q, I, A + 1>(l, at, next, now, y);
    } else if constexpr (A < carried) {
      constexpr int g = Q % S::stages;
      const T here = at.template tap<A, 0, 0>();
      if constexpr (A < S::fields) {
        if constexpr (S::template writes<g>(A)) {
          now.v[Q + 1][A][I] = may_keep<Path>(I) && keeps<Path>(l, I, y) ? here : next[A];
        } else {
          now.v[Q + 1][A][I] = here;
        }
      } else {
        now.v[Q + 1][A][I] = here;
      }
      carry<Path, Phase, Q, I, A + 1>(l, at, next, now, y);
    }
  }
  /// What arrived in column I, or for some arrays columns before it, takes its place.
  template <int Phase, int Q, int A, int I>
  DWELL_FN void keep_all(int l, const arrivals& now) {
    if constexpr (Q < substages) {
      if constexpr (A == arrays) {
        keep_all<Phase, Q + 1, 0, I>(l, now);
      } else {
        if constexpr (rows::template count<Q, A>() > 0) {
          constexpr int behind = A >= carried ? 0 : columns_behind<Q, A>();
          constexpr int place = rows::template place<Q, A>(Phase, 0);
          if constexpr (I >= behind) kept_[l].v[place][reach + I - behind] = now.v[Q][A][I - behind];
          if constexpr (I == across - 1)
            unrolled<0, behind>([&](auto k) __attribute__((always_inline)) {
              kept_[l].v[place][reach + across - behind + k] = now.v[Q][A][across - behind + k];
            });
        }
        keep_all<Phase, Q, A + 1, I>(l, now);
      }
    }
  }

  template <chain_path Path>
  static constexpr bool may_keep(int i) {
    return Path == chain_path::rows || Path == chain_path::any ||
           (Path == chain_path::sides && (i < S::radius || i >= across - S::radius));
  }
  /// Whether cell i of row y keeps its value.
  template <chain_path Path>
  DWELL_FN bool keeps(int l, int i, int y) const {
    if constexpr (Path == chain_path::plain) return false;
    const border& b = border_;
    const int column = l % 32 * across + i;
    const bool whole = y < b.top || y >= b.bottom;
    const bool sides =
        (i < S::radius && l % 32 == 0 && b.left) || (i >= across - S::radius && l % 32 == 31 && b.right);
    if constexpr (Path == chain_path::sides) return sides;
    if constexpr (Path == chain_path::rows) return whole || sides;
    return whole || column < b.first || column >= b.last;
  }

  Team& team_;
  const fields_pass<S, T>& a_;
  const overlapping_strips strips_;
  typename Team::link link_;
  const int number_;
  int at_, stop_;  ///< rows of the run
  ring_segment segment_{};
  border border_{};
  int left_ = 0;  ///< ticks of the segment
  int y_ = 0;     ///< the row that comes in
  int late_ = 0, late_in_ = 0, late_out_ = 0;  ///< cells by which rows begin within a unit
  int tick_ = 0;  ///< of a turn
  chain_path path_ = chain_path::none;
  decltype(std::declval<Team>().template per_lane<kept>()) kept_;
};

}  // namespace dwell
