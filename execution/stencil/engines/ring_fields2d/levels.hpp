// SPDX-License-Identifier: MIT
// What one warp of the chain does: `steps` steps of every row that passes, of all fields. A lane
// holds `across` neighbouring cells of a row and keeps, for every stage of every step, the rows of
// each array that the stage reads before the one that arrives. When a row arrives, the stage makes
// the row `delay` before it, and the new values arrive at the next stage at once: of the row that
// arrives a stage reads the cell's own column only, so a cell goes through all stages of all steps
// without its neighbours. Then the row takes the place of the oldest one. The loop's body is a
// whole period of these places, so that no register is copied. Points (points.hpp) are looked at
// behind the last stage of each step, in turns of path `any`: turns without any take other paths.
#pragma once
#include <type_traits>

#include "dwell/base/cell_piece.hpp"
#include "dwell/execution/stencil/engines/ring2d/strips.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/border.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/points.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/stretches.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/transfers.hpp"

namespace dwell {

template <class S, class T, class Team, chain_config C, pass_demands D>
class chain_levels {
  using sizes = chain_sizes<S, T, C>;
  using rows = kept_rows<S, C>;
  static constexpr int arrays = sizes::arrays, carried = sizes::carried, across = C.across,
                       N = C.rows;
  static constexpr int substages = rows::substages, reach = step_columns<S>();
  static constexpr int turn = sizes::turn, per_turn = turn / N;
  using border = strip_border<S, across>;

 public:
  DWELL_FN chain_levels(Team& team, const fields_pass<T>& a, int number)
      : team_(team),
        a_(a),
        strips_{sizes::width, sizes::halo, a.nx, goes_around<S, 1>},
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
      const chain_stretch next = stretch_here();
      left_ -= next.turns * per_turn;
      if (next.path == ring_path::none)
        turns_of<ring_path::none>(next.turns);
      else if (next.path == ring_path::any)
        turns_of<ring_path::any>(next.turns);
      else if (next.path == ring_path::rows)
        turns_of<ring_path::rows>(next.turns);
      else if (next.path == ring_path::sides)
        turns_of<ring_path::sides>(next.turns);
      else
        turns_of<ring_path::plain>(next.turns);
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
  /// Whether a path looks for points, and where a lane is in those of the rows that its steps make.
  template <ring_path Path>
  static constexpr bool looks = D.points&& Path == ring_path::any;
  template <ring_path Path>
  struct cursors {
    point_cursor<T> of_step[looks<Path> ? C.steps : 1];
  };

  DWELL_FN void open() {
    left_ = 0;
    if (at_ >= stop_) return;
    segment_ = segment_at<S>(at_, stop_, a_.ny, a_.warps * C.steps * step_rows<S>(), turn);
    left_ = segment_.ticks * per_turn;
    y_ = segment_.begin - number_ * C.steps * step_delay<S>();
    const int late = strips_.origin(segment_.strip) & (sizes::unit - 1);
    late_ = late;
    late_in_ = number_ == 0 ? late : 0;
    late_out_ = number_ == a_.warps - 1 ? late : 0;
    border_ = border::of(strips_, segment_.strip, a_);
  }
  DWELL_FN void advance() {
    at_ = segment_.next(a_.ny);
    open();
  }
  DWELL_FN chain_stretch stretch_here() const {
    const chain_stretches<S, T, C, D> all{a_, strips_, segment_, number_};
    return all.at(y_, (left_ + per_turn - 1) / per_turn);
  }
  template <ring_path Path>
  DWELL_FN void turns_of(int n) {
    if constexpr (looks<Path>) {
#pragma unroll 1
      for (n *= per_turn; n > 0; --n) tick<Path, 0>();
    } else {
#pragma unroll 1
      for (; n > 0; --n)
        unrolled<0, per_turn>([&](auto t) __attribute__((always_inline)) { tick<Path, t>(); });
    }
  }
  template <int Tick>
  DWELL_FN void one_tick() {
    if constexpr (Tick < per_turn) {
      if (tick_ != Tick) return one_tick<Tick + 1>();
      if (path_ == ring_path::none) tick<ring_path::none, Tick>();
      if (path_ == ring_path::plain) tick<ring_path::plain, Tick>();
      if (path_ == ring_path::sides) tick<ring_path::sides, Tick>();
      if (path_ == ring_path::rows) tick<ring_path::rows, Tick>();
      if (path_ == ring_path::any) tick<ring_path::any, Tick>();
    }
  }
  template <ring_path Path, int Tick>
  DWELL_FN void tick() {
    link_.enter();
    if constexpr (looks<Path>) {
#pragma unroll 1
      for (int r = 0; r < N; ++r) {
        row<Path>(r, 0);
        rotate();
        link_.pass_aux();
      }
    } else if constexpr (Path != ring_path::none)
      unrolled<0, N>([&](auto r) __attribute__((always_inline)) {
        row<Path>(r, (Tick * N + r) % rows::period());
        link_.pass_aux();
      });
    else
      for (int r = 0; r < N; ++r) link_.pass_aux();
    link_.leave();
    y_ += N;
  }

  /// Puts rows where they would be a row before in a period. Few rows have points: their code,
  /// which has to come from afar, is that of one row for all of a turn.
  DWELL_FN void rotate() {
    team_.each([&](int l) __attribute__((always_inline)) { rotate_of<0, 0>(kept_[l]); });
  }
  template <int Q, int A>
  DWELL_FN void rotate_of(kept& of) const {
    if constexpr (Q < substages) {
      if constexpr (A == arrays) {
        rotate_of<Q + 1, 0>(of);
      } else {
        constexpr int n = rows::template count<Q, A>();
        if constexpr (n > 1) {
          DWELL_UNROLL
          for (int i = 0; i < across + 2 * reach; ++i) {
            const T first = of.v[rows::template place<Q, A>(0, 0)][i];
            DWELL_UNROLL
            for (int k = 0; k + 1 < n; ++k)
              of.v[rows::template place<Q, A>(k, 0)][i] =
                  of.v[rows::template place<Q, A>(k + 1, 0)][i];
            of.v[rows::template place<Q, A>(n - 1, 0)][i] = first;
          }
        }
        rotate_of<Q, A + 1>(of);
      }
    }
  }

  /// What a cell of column I reads in stage Q.
  template <ring_path Path, int Q>
  struct near {
    const kept& before;
    const arrivals& now;
    const fields_pass<T>& a;
    const border& b;
    T* next;                  ///< what the stage gives fields
    int lane, row, i, phase;  ///< row: the cell's; i: its column among the lane's
    int step;                 ///< counted from the pass's first
    using value = T;
    static constexpr int stage = Q;
    template <int A, int, int Dy, int Dx>
    DWELL_FN T tap() const {
      return over_columns<A, Dy, Dx>();
    }
    template <int P>
    DWELL_FN T parameter() const {
      if constexpr (D.parameters_change)
        return a.table[step * S::parameters + P];
      else
        return a.p[P];
    }
    template <int F>
    DWELL_FN void put(T v) const {
      next[F] = v;
    }

   private:
    static constexpr bool tests_rows = Path == ring_path::rows || Path == ring_path::any;

    /// The row beyond the border by d, of an array whose border is known: where it is found,
    /// counted from the cell, if the cell itself is `from` rows before it.
    static constexpr int found(side_kind kind, int from, int d) {
      const int back = from < 0 ? -1 : 1;
      if (kind == side_kind::mirror) return from - back * 2 * d;
      if (kind == side_kind::nearest) return from - back * d;
      return from - back * (2 * d - 1);
    }
    /// Whether column i + Dx may lie beyond the border.
    template <int Dx>
    DWELL_FN bool tests_columns() const {
      return Path == ring_path::any || (Dx < 0 ? i + Dx < 0 : i + Dx >= across);
    }
    /// Beyond a corner the side along x decides: axes apply one after the other, x last.
    template <int A, int Dy, int Dx>
    DWELL_FN T over_columns() const {
      T v = over_rows<A, Dy, Dx>();
      if constexpr (Dx != 0 && !goes_around<S, 1> && Path != ring_path::plain) {
        constexpr int side = Dx > 0;
        constexpr side_kind kind = S::beyond(A, 1, side);
        if constexpr (kind != side_kind::fixed && kind != side_kind::periodic)
          unrolled<1, (Dx < 0 ? -Dx : Dx) + 1>([&](auto d) __attribute__((always_inline)) {
            const int column = b.origin + lane * across + i;
            if (tests_columns<Dx>() && column + Dx == (side ? a.nx - 1 + d : -d)) {
              if constexpr (kind == side_kind::constant)
                v = a.outside[A][1][side];
              else if constexpr (kind == side_kind::antisymmetric)
                v = -over_rows<A, Dy, found(kind, Dx, d)>();
              else
                v = over_rows<A, Dy, found(kind, Dx, d)>();
            }
          });
      }
      return v;
    }
    template <int A, int Dy, int Dx>
    DWELL_FN T over_rows() const {
      T v = cell<A, Dy, Dx>();
      if constexpr (tests_rows && Dy != 0) {
        constexpr int side = Dy > 0;
        constexpr side_kind kind = S::beyond(A, 0, side);
        if constexpr (kind != side_kind::fixed && kind != side_kind::periodic)
          unrolled<1, (Dy < 0 ? -Dy : Dy) + 1>([&](auto d) __attribute__((always_inline)) {
            if (row + Dy == (side ? a.ny - 1 + d : -d)) {
              if constexpr (kind == side_kind::constant)
                v = a.outside[A][0][side];
              else if constexpr (kind == side_kind::antisymmetric)
                v = -cell<A, found(kind, Dy, d), Dx>();
              else
                v = cell<A, found(kind, Dy, d), Dx>();
            }
          });
      }
      return v;
    }
    template <int A, int Dy, int Dx>
    DWELL_FN T cell() const {
      constexpr int back = delay_of<S, Q % S::stages> - Dy;
      if constexpr (A >= carried) {
        static_assert(Dy == 0 && Dx == 0);
        if constexpr (Q == 0)
          return now.v[0][A][i];
        else
          return before.v[rows::template place<0, A>(phase, Q * delay_of<S, 0>)][reach + i];
      } else if constexpr (is_renamed<S, A>() && Q == 0) {
        static_assert(Dy == 0 && Dx == 0);
        return now.v[0][A][i];
      } else if constexpr (is_renamed<S, A>()) {
        static_assert(Dy == 0 && Dx == 0);
        constexpr int from = S::template copy_of<0>(A);
        return before.v[rows::template place<Q - 1, from>(phase, 2 * delay_of<S, 0>)][reach + i];
      } else if constexpr (back == 0) {
        static_assert(Dx == 0);
        return now.v[Q][A][i];
      } else {
        static_assert(back <= rows::template count<Q, A>());
        return before.v[rows::template place<Q, A>(phase, back)][reach + i + Dx];
      }
    }
  };

  /// The rows that stage Q reads beside a cell's column get the cells of the lanes beside it.
  template <int Q, int A, int Back>
  DWELL_FN void exchange(int phase) {
    if constexpr (Q < substages) {
      if constexpr (A == arrays) {
        exchange<Q + 1, 0, 1>(phase);
      } else if constexpr (Back > rows::template count<Q, A>()) {
        exchange<Q, A + 1, 1>(phase);
      } else {
        constexpr int sideways = columns_read<Q, A, Back>();
        if constexpr (sideways > 0)
          team_.template spread<sideways>([&](int l) __attribute__((always_inline)) {
            return kept_[l].v[rows::template place<Q, A>(phase, Back)] + (reach - sideways);
          });
        exchange<Q, A, Back + 1>(phase);
      }
    }
  }
  template <int Q, int A, int Back>
  static constexpr int columns_read() {
    constexpr int g = Q % S::stages;
    int most = 0;
    for (const field_tap& t : S::template taps<g>())
      if (t.array == A && (is_mirrored<S, 0> || delay_of<S, g> - t.dy == Back))
        most = std::max(most, t.dx < 0 ? -t.dx : t.dx);
    return most;
  }
  /// Columns to the left in which stage Q reads the oldest row of an array, whose place the row
  /// that arrives takes only behind these.
  template <int Q, int A>
  static constexpr int columns_behind() {
    constexpr int g = Q % S::stages, oldest = rows::template count<Q, A>();
    int most = 0;
    for (const field_tap& t : S::template taps<g>())
      if (t.array == A && (is_mirrored<S, 0> || delay_of<S, g> - t.dy == oldest))
        most = std::max(most, is_mirrored<S, 1> && t.dx > 0 ? t.dx : -t.dx);
    return most;
  }

  /// Row r of a tick.
  template <ring_path Path>
  DWELL_FN void row(int r, int phase) {
    exchange<0, 0, 1>(phase);
    const int y = y_ + r;
    team_.each([&](int l) __attribute__((always_inline)) {
      arrivals now;
      cursors<Path> at;
      if constexpr (looks<Path>) {
        const auto points = points_of_strip<S, T>(a_, segment_.strip);
        unrolled<0, C.steps>([&](auto q) __attribute__((always_inline)) {
          at.of_step[q].find(points, y - (q + 1) * step_delay<S>(), l % 32 * across);
        });
      }
      unrolled<0, (C.ahead < across ? C.ahead : across)>([&](
          auto i) __attribute__((always_inline)) { load(l, r, i, now); });
      unrolled<0, across>([&](auto i) __attribute__((always_inline)) {
        if constexpr (i + C.ahead < across) load(l, r, i + C.ahead, now);
        stages<Path, 0>(l, i, phase, now, y, at);
        put_all<0>(l, r, i, phase, now);
        keep_all<0, 0>(l, i, phase, now);
      });
    });
  }
  DWELL_FN void load(int l, int r, int i, arrivals& now) const {
    DWELL_UNROLL
    for (int k = 0; k < carried; ++k)
      now.v[0][k][i] = link_.from(r * carried + k, late_in_).get(l, i);
    DWELL_UNROLL
    for (int k = carried; k < arrays; ++k) now.v[0][k][i] = link_.aux(k - carried, late_).get(l, i);
  }
  /// A renamed field leaves as late as it came: what the other one was before the last step.
  template <int A>
  DWELL_FN void put_all(int l, int r, int i, int phase, const arrivals& now) {
    if constexpr (A < carried) {
      const auto to = link_.to(r * carried + A, late_out_);
      if constexpr (is_renamed<S, A>())
        to.put(l, i,
               kept_[l].v[rows::template place<substages - 1, S::template copy_of<0>(A)>(
                   phase, 2 * delay_of<S, 0>)][reach + i]);
      else
        to.put(l, i, now.v[substages][A][i]);
      put_all<A + 1>(l, r, i, phase, now);
    }
  }

  /// Stage Q of a cell, and all behind it.
  template <ring_path Path, int Q>
  DWELL_FN void stages(int l, int i, int phase, arrivals& now, int y, cursors<Path>& points) {
    if constexpr (Q < substages) {
      constexpr int g = Q % S::stages, q = Q / S::stages;
      const int made = y - delay_of<S, g>, step = number_ * C.steps + q;
      T next[S::fields];
      const near<Path, Q> at{kept_[l], now, a_, border_, next, l % 32, made, i, phase, step};
      S::template step<g>(at);
      carry<Path, Q, 0>(l, i, at, next, now, made);
      if constexpr (looks<Path> && g == S::stages - 1) {
        if (points.of_step[q].has_some(i)) [[unlikely]] {
          // Other teams have rows in their halos that are this one's, and the other way round.
          const bool own = made >= segment_.first && made < segment_.end;
          cell_values<S, T> v = values_behind<Q>(i, at, now);
          points.of_step[q].template visit<S>(a_.points, step, l % 32 * across + i, own, v);
          take_values<Q>(i, v, now);
        }
      }
      stages<Path, Q + 1>(l, i, phase, now, made, points);
    }
  }
  /// Values of all fields behind stage Q: of a renamed one, the other's before it.
  template <int Q, class Near>
  DWELL_FN cell_values<S, T> values_behind(int i, const Near& at, const arrivals& now) const {
    cell_values<S, T> v;
    unrolled<0, S::fields>([&](auto f) __attribute__((always_inline)) {
      if constexpr (is_renamed<S, f>())
        v.of[f] = at.template tap<S::template copy_of<0>(f), 0, 0, 0>();
      else
        v.of[f] = now.v[Q + 1][f][i];
    });
    return v;
  }
  /// Renamed fields have no sources.
  template <int Q>
  DWELL_FN void take_values(int i, const cell_values<S, T>& v, arrivals& now) const {
    unrolled<0, S::fields>([&](auto f) __attribute__((always_inline)) {
      if constexpr (!is_renamed<S, f>()) now.v[Q + 1][f][i] = v.of[f];
    });
  }
  template <ring_path Path, int Q, int A>
  DWELL_FN void carry(int l, int i, const near<Path, Q>& at, const T* next, arrivals& now, int y) {
    if constexpr (A < carried) {
      if constexpr (!is_renamed<S, A>()) {
        constexpr int g = Q % S::stages;
        const T here = at.template tap<A, 0, 0, 0>();
        T value = here;
        if constexpr (A < S::fields) {
          if constexpr (S::template copy_of<g>(A) >= 0) {
            value = at.template tap<S::template copy_of<g>(A), 0, 0, 0>();
          } else if constexpr (S::template writes<g>(A)) {
            value = next[A];
          }
          if (border::template may_keep<Path>(i) && border_.template keeps<Path>(l, i, y))
            value = here;
        }
        now.v[Q + 1][A][i] = value;
      }
      carry<Path, Q, A + 1>(l, i, at, next, now, y);
    }
  }
  /// What arrived in column i, or for some arrays columns before it, takes its place.
  template <int Q, int A>
  DWELL_FN void keep_all(int l, int i, int phase, const arrivals& now) {
    if constexpr (Q < substages) {
      if constexpr (A == arrays) {
        keep_all<Q + 1, 0>(l, i, phase, now);
      } else {
        if constexpr (rows::template count<Q, A>() > 0) {
          constexpr int behind = A >= carried ? 0 : columns_behind<Q, A>();
          T* place = kept_[l].v[rows::template place<Q, A>(phase, 0)] + reach;
          if (i >= behind) place[i - behind] = now.v[Q][A][i - behind];
          if (i == across - 1) {
            DWELL_UNROLL
            for (int k = across - behind; k < across; ++k) place[k] = now.v[Q][A][k];
          }
        }
        keep_all<Q, A + 1>(l, i, phase, now);
      }
    }
  }

  Team& team_;
  const fields_pass<T>& a_;
  const overlapping_strips strips_;
  typename Team::link link_;
  const int number_;
  int at_, stop_;  ///< rows of the run
  ring_segment segment_{};
  border border_{};
  int left_ = 0;                               ///< ticks of the segment
  int y_ = 0;                                  ///< the row that comes in
  int late_ = 0, late_in_ = 0, late_out_ = 0;  ///< cells by which rows begin within a unit
  int tick_ = 0;                               ///< tick of a turn
  ring_path path_ = ring_path::none;
  decltype(std::declval<Team>().template per_lane<kept>()) kept_;
};

}  // namespace dwell
