// SPDX-License-Identifier: MIT
// What one warp of the chain does: `steps` steps of every row that passes. A lane holds `across`
// neighbouring cells of a row. Per step it keeps the sums of the 2R rows which that step has begun
// and not ended: a row that comes in ends the sum of row y - R, is added to the 2R - 1 sums between
// and begins that of row y + R, all in place, so that no register is ever copied. All steps of a
// cell are made together, and the cells of a lane one after the other: beside the sums only a few
// cells of a row are alive. The cells at a lane's ends come first, since the lanes beside it need
// their values; these are all that lanes exchange.
#pragma once
#include "dwell/base/cell_piece.hpp"
#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/engines/ring2d/sizes.hpp"
#include "dwell/execution/stencil/engines/ring2d/strips.hpp"

namespace dwell {

/// Source: one is added, to rows of any path: a kernel of its own, since it takes registers.
template <class S, class T, class Team, ring_config C, bool Source>
class ring_levels {
  using sizes = ring_sizes<S, T, C>;
  static constexpr int R = sizes::radius, N = C.rows, steps = C.steps, across = C.across;

 public:
  /// Warp `number` of the chain; `levels`: of the warps that compute in this pass.
  DWELL_FN ring_levels(Team& team, const stencil_call<S, T>& a, const pass_runs& pass, int number,
                       int levels)
      : team_(team),
        a_(a),
        strips_{sizes::width, sizes::halo, a.size.x, a.edge != boundary::fixed},
        link_(team, number),
        number_(number),
        levels_(levels),
        active_(pass.steps - number * steps < steps ? pass.steps - number * steps : steps),
        at_(pass.cut[team.worker()]),
        stop_(pass.cut[team.worker() + 1]) {
    sums_ = team.template per_lane<sums>();
    team.each([&](int l) __attribute__((always_inline)) {
      unrolled<0, steps>([&]<int s>(constant<s>) __attribute__((always_inline)) {
        unrolled<0, 2 * R>([&]<int k>(constant<k>) __attribute__((always_inline)) {
          unrolled<0, across>([&]<int i>(constant<i>)
                                  __attribute__((always_inline)) { sums_[l].v[s][k][i] = T{}; });
        });
      });
    });
    open();
  }

  DWELL_FN bool more() const { return left_ > 0; }
  /// The next ticks, at most so many. Ticks of one path follow each other in a loop of their own.
  DWELL_FN void run(int ticks) {
    while (ticks > 0 && more()) {
      const stretch next = stretch_here();
      int n = next.ticks < ticks ? next.ticks : ticks;
      ticks -= n;
      left_ -= n;
      border b{};
      if (next.path != ring_path::plain) b = border_here();
      if (next.path == ring_path::none)
        ticks_of<ring_path::none>(n, b);
      else if constexpr (Source)
        ticks_of<ring_path::any>(n, b);
      else if (next.path == ring_path::any)
        ticks_of<ring_path::any>(n, b);
      else if (next.path == ring_path::rows)
        ticks_of<ring_path::rows>(n, b);
      else if (next.path == ring_path::sides)
        ticks_of<ring_path::sides>(n, b);
      else
        ticks_of<ring_path::plain>(n, b);
      if (left_ == 0) {
        at_ = segment_.next(a_.size.y);
        open();
      }
    }
  }

 private:
  struct sums {
    T v[steps][2 * R][across];
  };
  /// State of a lane: its cells after s steps, with those of the lanes beside it.
  struct cells {
    T v[steps + 1][across + 2 * R];
  };
  struct stretch {
    ring_path path;
    int ticks;
  };
  /// Cells of the strip that keep their values.
  struct border {
    int top, bottom;   ///< rows before the one and from the other on
    int first, last;   ///< and columns, counted from the strip's first
    bool left, right;  ///< the strip is the field's first, its last
  };

  /// The segment at row at_ of the run.
  DWELL_FN void open() {
    left_ = 0;
    if (at_ >= stop_) return;
    segment_ = ring_segment::at(at_, stop_, a_.size.y, levels_ * steps * R, N, strips_.beyond);
    left_ = segment_.ticks;
    y_ = segment_.begin - number_ * steps * R;
    // Rows begin within a unit of copies where they come in and where they leave the chain.
    const int late = strips_.origin(segment_.strip) & (sizes::unit - 1);
    late_in_ = number_ == 0 ? late : 0;
    late_out_ = number_ == levels_ - 1 ? late : 0;
  }
  DWELL_FN stretch stretch_here() const {
    const auto at_most = [&](int ticks) { return ticks < left_ ? ticks : left_; };
    const ring_rows computed = segment_.rows_of(number_, steps * R, a_.size.y, strips_.beyond);
    if (y_ + N <= computed.from) return {ring_path::none, at_most((computed.from - y_) / N)};
    if (y_ >= computed.until) return {ring_path::none, left_};
    const stretch s = stretch_of_computed();
    const int rest = (computed.until - y_ + N - 1) / N;
    return {s.path, s.ticks < rest ? s.ticks : rest};
  }
  DWELL_FN stretch stretch_of_computed() const {
    if (Source || (!strips_.beyond && a_.size.x < sizes::width)) return {ring_path::any, left_};
    if (active_ < steps) return {ring_path::rows, left_};
    if (strips_.beyond) return {ring_path::plain, left_};
    // Rows of the border are among those that a row in between touches.
    const int low = (steps + 1) * R, high = a_.size.y - R;
    const auto at_most = [&](int ticks) { return ticks < left_ ? ticks : left_; };
    if (y_ < low) return {ring_path::rows, at_most((low - y_ + N - 1) / N)};
    if (y_ + N > high) return {ring_path::rows, left_};
    const bool beside = segment_.strip == 0 || segment_.strip == strips_.count() - 1;
    return {beside ? ring_path::sides : ring_path::plain, at_most((high - y_) / N)};
  }
  DWELL_FN border border_here() const {
    constexpr int never = 1 << 30;
    const int origin = strips_.origin(segment_.strip);
    border b{-never, never, -never, never, false, false};
    if (a_.edge != boundary::fixed) return b;
    b.top = R;
    b.bottom = a_.size.y - R;
    b.first = R - origin;
    b.last = a_.size.x - R - origin;
    b.left = segment_.strip == 0;
    b.right = segment_.strip == strips_.count() - 1;
    return b;
  }

  template <ring_path Path>
  DWELL_FN void ticks_of(int n, const border& b) {
    for (; n > 0; --n) tick<Path>(b);
  }
  template <ring_path Path>
  DWELL_FN void tick(const border& b) {
    link_.enter();
    if constexpr (Path == ring_path::none) {
    } else if constexpr (Path == ring_path::rows || Path == ring_path::any) {
#pragma unroll 1
      for (int r = 0; r < N; ++r) row<Path>(r, b);
    } else {
      unrolled<0, N>([&]<int r>(constant<r>) __attribute__((always_inline)) { row<Path>(r, b); });
    }
    link_.leave();
    y_ += N;
  }

  template <ring_path Path>
  DWELL_FN void row(int r, const border& b) {
    const auto from = link_.from(r, late_in_);
    const auto to = link_.to(r, late_out_);
    const int y = y_ + r;
    auto row_cells = team_.template per_lane<cells>();
    const auto load = [&](int l, int i) __attribute__((always_inline)) {
      row_cells[l].v[0][R + i] = from.get(l, i);
    };
    // Steps s of cell i, which end the sum of row y - (s + 1) * R.
    const auto end = [&]<int s>(int l, constant<s>, int i) __attribute__((always_inline)) {
      row_cells[l].v[s + 1][R + i] = ended<Path, s>(l, row_cells[l], i, y, b);
      if constexpr (s == steps - 1) to.put(l, i, row_cells[l].v[steps][R + i]);
    };
    const auto add = [&]<int s>(int l, constant<s>, int i) __attribute__((always_inline)) {
      add_row<Path, s>(l, row_cells[l], i, y, b);
    };
    const auto spread = [&]<int s>(constant<s>) __attribute__((always_inline)) {
      team_.template spread<R>([&](int l)
                                   __attribute__((always_inline)) { return row_cells[l].v[s]; });
    };
    if constexpr (ends_in_column<S>)
      chain_by_chain(load, end, add, spread);
    else
      step_by_step(load, end, add, spread);
  }

  /// A cell's steps need no neighbours: all of them at once, then those of the lane's other cells.
  template <class Load, class End, class Add, class Spread>
  DWELL_FN void chain_by_chain(const Load& load, const End& end, const Add& add,
                               const Spread& spread) {
    const auto chain = [&](int l, int i) __attribute__((always_inline)) {
      unrolled<0, steps>([&]<int s>(constant<s>)
                             __attribute__((always_inline)) { end(l, constant<s>{}, i); });
    };
    team_.each([&](int l) __attribute__((always_inline)) {
      unrolled<0, R>([&]<int k>(constant<k>) __attribute__((always_inline)) {
        load(l, across - R + k);
        if constexpr (k < across - R) load(l, k);
      });
      unrolled<0, C.ahead + C.early>([&]<int k>(constant<k>) __attribute__((always_inline)) {
        if constexpr (R + k < across - R) load(l, R + k);
      });
      unrolled<0, R>([&]<int k>(constant<k>) __attribute__((always_inline)) {
        chain(l, across - R + k);
        if constexpr (k < across - R) chain(l, k);
      });
    });
    unrolled<0, steps>(spread);
    team_.each([&](int l) __attribute__((always_inline)) {
      unrolled<0, C.early>([&]<int k>(constant<k>) __attribute__((always_inline)) {
        if constexpr (R + k < across - R) chain(l, R + k);
      });
      unrolled<0, across>([&]<int i>(constant<i>) __attribute__((always_inline)) {
        if constexpr (i + R + C.early + C.ahead < across - R) load(l, i + R + C.early + C.ahead);
        if constexpr (i + R + C.early < across - R) chain(l, i + R + C.early);
        unrolled<0, steps>([&]<int s>(constant<s>)
                               __attribute__((always_inline)) { add(l, constant<s>{}, i); });
      });
    });
  }

  /// Step s of a cell needs cells to either side of it after s steps: those at the lane's ends come
  /// first, fewer with every step, then the rest in order.
  template <class Load, class End, class Add, class Spread>
  DWELL_FN void step_by_step(const Load& load, const End& end, const Add& add,
                             const Spread& spread) {
    static_assert(2 * R * steps <= across);
    team_.each([&](int l) __attribute__((always_inline)) {
      unrolled<0, R * steps>([&]<int c>(constant<c>) __attribute__((always_inline)) {
        load(l, across - 1 - c);
        load(l, c);
      });
      unrolled<0, C.ahead>([&]<int k>(constant<k>) __attribute__((always_inline)) {
        if constexpr (R * steps + k < across - R * steps) load(l, R * steps + k);
      });
    });
    unrolled<0, steps>([&]<int s>(constant<s>) __attribute__((always_inline)) {
      spread(constant<s>{});
      team_.each([&](int l) __attribute__((always_inline)) {
        unrolled<0, R*(steps - 1 - s)>([&]<int c>(constant<c>) __attribute__((always_inline)) {
          end(l, constant<s>{}, c);
          add(l, constant<s>{}, c);
          end(l, constant<s>{}, across - 1 - c);
          add(l, constant<s>{}, across - 1 - c);
        });
      });
    });
    team_.each([&](int l) __attribute__((always_inline)) {
      unrolled<0, across>([&]<int i>(constant<i>) __attribute__((always_inline)) {
        if constexpr (i + R * steps + C.ahead < across - R * steps)
          load(l, i + R * steps + C.ahead);
        unrolled<0, steps>([&]<int s>(constant<s>) __attribute__((always_inline)) {
          constexpr int ends = R * (steps - 1 - s), c = i + ends;
          if constexpr (c < across - ends) {
            end(l, constant<s>{}, c);
            add(l, constant<s>{}, c);
          }
        });
      });
    });
  }

  /// A cell of a row as its taps find it.
  struct near {
    const T* cell;
    DWELL_FN T operator()(int, int, int dx) const { return cell[dx]; }
  };
  /// Whether cell i of row y - s * R - Behind keeps its value.
  template <ring_path Path, int Step, int Behind>
  DWELL_FN bool fixed(int l, int i, int y, const border& b) const {
    if constexpr (Path == ring_path::plain) return false;
    const int row = y - Step * R - Behind, column = l % 32 * across + i;
    const bool rows = row < b.top || row >= b.bottom || Step >= active_;
    const bool sides =
        (i < R && l % 32 == 0 && b.left) || (i >= across - R && l % 32 == 31 && b.right);
    if constexpr (Path == ring_path::sides) return sides;
    if constexpr (Path == ring_path::rows) return rows || sides;
    return rows || column < b.first || column >= b.last;
  }
  template <ring_path Path>
  static constexpr bool may_be_fixed(int i) {
    return Path == ring_path::rows || Path == ring_path::any ||
           (Path == ring_path::sides && (i < R || i >= across - R));
  }
  /// The sum that the row ends.
  template <ring_path Path, int Step>
  DWELL_FN T ended(int l, const cells& row, int i, int y, const border& b) {
    const T before = sums_[l].v[Step][0][i];
    T sum = S::template add_layer<R>(before, near{&row.v[Step][R + i]}, a_.w);
    if (!may_be_fixed<Path>(i)) return sum;
    const bool keeps = fixed<Path, Step, R>(l, i, y, b);
    if constexpr (Source)
      if (!keeps) sum += source_at(l, i, y - (Step + 1) * R);
    return keeps ? before : sum;
  }
  /// The sums to which the row is added; when a cell that keeps its value comes itself, its sum is
  /// that value, and nothing is added after that.
  template <ring_path Path, int Step>
  DWELL_FN void add_row(int l, const cells& row, int i, int y, const border& b) {
    unrolled<1, 2 * R + 1>([&]<int k>(constant<k>) __attribute__((always_inline)) {
      constexpr int behind = R - k;
      T before = T{};
      if constexpr (k < 2 * R) before = sums_[l].v[Step][k][i];
      T sum = S::template add_layer<behind>(before, near{&row.v[Step][R + i]}, a_.w);
      if constexpr (behind >= 0)
        if (may_be_fixed<Path>(i) && fixed<Path, Step, behind>(l, i, y, b))
          sum = behind == 0 ? row.v[Step][R + i] : before;
      sums_[l].v[Step][k - 1][i] = sum;
    });
  }
  /// Source of a cell of the strip, which may lie beyond the field.
  DWELL_FN T source_at(int l, int i, int y) const {
    int x = strips_.origin(segment_.strip) + l % 32 * across + i;
    if (strips_.beyond) {
      x = cell_beyond(a_.edge, x, a_.size.x);
      y = cell_beyond(a_.edge, y, a_.size.y);
    }
    if (x < 0 || x >= a_.size.x || y < 0 || y >= a_.size.y) return T{};
    return a_.source[static_cast<std::ptrdiff_t>(y) * a_.pitch + x];
  }

  Team& team_;
  const stencil_call<S, T>& a_;
  const overlapping_strips strips_;
  typename Team::link link_;
  const int number_, levels_;
  const int active_;  ///< steps of this pass that the warp makes, the others rest
  int at_, stop_;     ///< rows of the run
  ring_segment segment_{};
  int left_ = 0;  ///< ticks of the segment
  int y_ = 0;     ///< the row that comes in
  int late_in_ = 0, late_out_ = 0;
  decltype(std::declval<Team>().template per_lane<sums>()) sums_;
};

}  // namespace dwell
