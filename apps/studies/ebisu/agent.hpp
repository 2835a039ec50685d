// SPDX-License-Identifier: MIT
// A pass of several steps as EBISU makes it (Zhang et al. 2023; dissertation, sections 5.4
// and 5.5): a team goes down the layers of a tile, and the layers of all steps lie in one circular
// multi-queue in scratch. In a tick a layer comes in, and every step takes the layers that the step
// before it has left:
//
//   eager  for every step: all compute; the team meets; all put their layer into the place of the
//          oldest one that was read (listing 5.5); the team meets
//   lazy   the team meets; every step computes from layers of ticks before and puts its own into a
//          place that was read in the tick before (listing 5.7), the last step first
//
// Device tiling: a tile is that of all teams, and what a step leaves at a team's sides the teams
// beside it take into the frame of their layer two ticks later, when it is the middle one of its
// queue; flags say which tick a team has ended. A set of sides is written again four ticks later: a
// team is then past the tick in which its neighbours waited for it, in which they have read the
// set.
#pragma once
#include <cstdint>
#include <utility>

#include "studies/ebisu/tiles.hpp"

#include "dwell/base/cell_piece.hpp"
#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/args.hpp"

namespace dwell {

/// Copies: bulk_copies of the team's backend.
template <class S, class T, class Team, class Copies, queue_config C>
class queue_pass {
  using sizes = queue_sizes<S, T, C>;
  static constexpr queue_variant variant = sizes::variant;
  static constexpr int R = sizes::radius, steps = C.steps, N = C.cells, frame = sizes::frame;
  static constexpr int width = sizes::width, height = sizes::height, row = sizes::row;
  static constexpr int ahead = sizes::ahead, layers = sizes::layers;

 public:
  DWELL_FN queue_pass(Team& team, const stencil_call<S, T>& a, const pass_runs& pass)
      : team_(team),
        a_(a),
        from_(a.field[pass.from]),
        to_(a.field[pass.from ^ 1]),
        steps_(pass.steps),
        at_(variant.device ? 0 : pass.cut[team.worker()]),
        tiles_(queue_tiles(tile_of(C, S::dims, R), a.size, a.edge, a.pitch,
                           variant.device ? a.plan.subdomains_x : 1,
                           variant.device ? a.plan.subdomains_y : 1)),
        stop_(variant.device ? tiles_.count() * layers_of_field() : pass.cut[team.worker() + 1]),
        queue_(team.template scratch<T>(sizes::values) + sizes::pad),
        copies_(team.template scratch<std::uint64_t>(sizes::barriers)) {
    if constexpr (variant.device) ended_ = before_ = Team::received(flag_of(team.worker()));
  }

  DWELL_FN void run() {
    while (at_ < stop_) {
      open();
      for (; tick_ < ticks_; ++tick_) {
        if (has_sides_ || at_border_layers())
          tick<true>();
        else
          tick<false>();
      }
      at_ = part_.tile * layers_of_field() + part_.end;
    }
  }

 private:
  struct lane_facts {
    int at[N];       ///< cells of the lane in a layer of the field
    unsigned owned;  ///< a bit for each cell that leaves the pass
    unsigned fixed;  ///< and for each that keeps its value
  };
  /// A lane's own column in the queue of every step, from the oldest layer to the newest.
  struct window {
    T v[variant.registers ? steps : 1][2 * R + 1][N];
  };
  struct cells {
    T v[N];
  };

  DWELL_FN int layers_of_field() const { return S::dims == 3 ? a_.size.z : a_.size.y; }
  DWELL_FN std::ptrdiff_t layer_pitch() const {
    return S::dims == 3 ? std::ptrdiff_t{a_.pitch} * a_.size.y : a_.pitch;
  }
  /// Cell k of a lane in its tile.
  DWELL_FN static int x_of(int l, int k) { return S::dims == 3 ? l % 32 : l + k * perks_lanes; }
  DWELL_FN static int y_of(int l, int k) { return S::dims == 3 ? l / 32 * N + k : 0; }
  DWELL_FN static int cell_of(int l, int k) {
    return (y_of(l, k) + frame * (S::dims == 3)) * row + x_of(l, k) + frame;
  }
  DWELL_FN int place_of(int i, int n) const {
    if (within(i, n)) return i;
    return a_.edge == boundary::fixed ? (i < 0 ? 0 : n - 1) : cell_beyond(a_.edge, i, n);
  }
  DWELL_FN int place_in_layer(int x, int y) const {
    return (S::dims == 3 ? place_of(y, a_.size.y) * a_.pitch : 0) + place_of(x, a_.size.x);
  }

  /// The part of a tile that comes next in the team's run.
  DWELL_FN void open() {
    team_.section([](int) {});  // others may still be at the last layer of the part before
    const int n = layers_of_field();
    part_ = column_part::at(at_, stop_, n, steps_ * R, a_.edge == boundary::fixed);
    ticks_ = part_.end - part_.begin + R + (steps_ - 1) * sizes::lag;
    tick_ = base_ = 0;
    for (int s = 0; s < steps; ++s) heads_[s] = (steps - 1 - s) * sizes::distance;
    const tile_place where = tiles_.place(part_.tile);
    x_ = where.x + (variant.device ? team_.worker() % a_.plan.subdomains_x * width : 0);
    y_ = where.y + (variant.device ? team_.worker() / a_.plan.subdomains_x * height : 0);
    has_sides_ = a_.edge == boundary::fixed &&
                 (x_ < a_.inner.x0 || x_ + width > a_.inner.x1 ||
                  (S::dims == 3 && (y_ < a_.inner.y0 || y_ + height > a_.inner.y1)));
    straight_ = where.inside && a_.pitch % 2 == 0 && x_ % 2 == 0 &&
                (S::dims == 2 || (y_ >= 0 && y_ + height <= a_.size.y));
    team_.each([&](int l) {
      lane_facts& me = lane_[l];
      me.owned = me.fixed = 0;
      for (int k = 0; k < N; ++k) {
        const int x = x_ + x_of(l, k), y = y_ + y_of(l, k);
        const bool rows = S::dims == 2 || within(y - where.own_y0, where.own_y1 - where.own_y0);
        const bool inner = within(x - a_.inner.x0, a_.inner.x1 - a_.inner.x0) &&
                           (S::dims == 2 || within(y - a_.inner.y0, a_.inner.y1 - a_.inner.y0));
        me.at[k] = place_in_layer(x, y);
        me.owned |= unsigned(rows && within(x - where.own_x0, where.own_x1 - where.own_x0)) << k;
        me.fixed |= unsigned(a_.edge == boundary::fixed && !inner) << k;
      }
    });
    for (int p = 0; p < ahead; ++p) bring(p);
  }
  DWELL_FN bool at_border_layers() const {
    if (a_.edge != boundary::fixed) return false;
    return layer_of(steps - 1) < R || layer_of(0) >= layers_of_field() - R;
  }

  /// Layer j of queue s, from its oldest on.
  DWELL_FN T* layer(int s, int j) const {
    int slot;
    if constexpr (variant.computed) {
      slot = (base_ + (steps - 1 - s) * sizes::distance + j) & (layers - 1);
    } else {
      slot = heads_[s] + j;
      slot = slot >= layers ? slot - layers : slot < 0 ? slot + layers : slot;
    }
    return queue_ + slot * sizes::layer_values;
  }
  DWELL_FN void move_heads() {
    if constexpr (variant.computed)
      ++base_;
    else
      unrolled<0, steps>([&](auto s) { heads_[s] = heads_[s] + 1 == layers ? 0 : heads_[s] + 1; });
  }
  /// The layer of the field that step s leaves in this tick.
  DWELL_FN int layer_of(int s) const { return part_.begin + tick_ - R - s * sizes::lag; }

  DWELL_FN bool comes(int tick) const {
    return tick < ticks_ && (a_.edge != boundary::fixed || part_.begin + tick < layers_of_field());
  }
  /// The layer of a tick into the first queue, so many ticks ahead.
  DWELL_FN void bring(int tick) {
    if (comes(tick)) {
      const int z = place_of(part_.begin + tick, layers_of_field());
      const T* const from = from_ + z * layer_pitch();
      T* const to = layer(0, sizes::span - 1 + tick - tick_);
      if (variant.fetch == layer_prefetch::bulk && straight_) {
        const int first = S::dims == 3 ? y_ * a_.pitch + x_ : x_;
        copies_.start(to, row, from + first, a_.pitch, height, width);
      } else {
        team_.each([&](int l) {
          for (int k = 0; k < N; ++k) {
            if constexpr (variant.fetch == layer_prefetch::none)
              to[cell_of(l, k)] = from[lane_[l].at[k]];
            else
              Team::fetch(to + cell_of(l, k), from + lane_[l].at[k]);
          }
          if constexpr (variant.device) bring_frame(l, to, from);
        });
      }
    }
    if constexpr (variant.fetch != layer_prefetch::none) Team::close_fetches();
  }
  /// Brings the frame of the first queue from the field itself.
  DWELL_FN void bring_frame(int l, T* to, const T* from) {
    each_of_frame(l, [&](int x, int y, int, int) {
      Team::fetch(to + (y + frame) * row + x + frame, from + place_in_layer(x_ + x, y_ + y));
    });
  }
  DWELL_FN void await_layer() {
    if constexpr (variant.fetch != layer_prefetch::none) {
      Team::template await_fetches<ahead - 1>();
      if (variant.fetch == layer_prefetch::bulk && straight_ && comes(tick_)) copies_.await();
    }
  }

  template <bool Sides>
  DWELL_FN void tick() {
    if constexpr (ahead == 0) {
      team_.section([](int) {});  // the last step has read the slot
      bring(tick_);
    } else {
      await_layer();
    }
    if constexpr (variant.device) take_sides();
    team_.section([](int) {});
    if constexpr (ahead > 0) bring(tick_ + ahead);
    if constexpr (variant.registers)
      team_.each([&](int l) {
        for (int k = 0; k < N; ++k)
          push(window_[l], 0, k, layer(0, sizes::span - 1)[cell_of(l, k)]);
      });
    if constexpr (variant.lazy)
      unrolled<0, steps>([&](auto back) { lazy_step<Sides, steps - 1 - back>(); });
    else
      unrolled<0, steps>([&](auto s) { eager_step<Sides, s>(); });
    move_heads();
    if constexpr (variant.device) team_.signal(flag_of(team_.worker()), ++ended_);
  }

  template <bool Sides, int s>
  DWELL_FN void lazy_step() {
    if (s >= steps_) return;
    team_.each([&](int l) {
      const cells now = next_of<Sides, s>(l);
      if (s == steps_ - 1) return put_out(l, s, now);
      if constexpr (s < steps - 1) {
        T* const to = layer(s, -1);
        for (int k = 0; k < N; ++k) {
          to[cell_of(l, k)] = now.v[k];
          push(window_[l], s + 1, k, now.v[k]);
        }
        if constexpr (variant.device) show_sides(l, s, now);
      }
    });
  }
  template <bool Sides, int s>
  DWELL_FN void eager_step() {
    if (s >= steps_) return;
    team_.each([&](int l) { now_[l] = next_of<Sides, s>(l); });
    if (s == steps_ - 1) return team_.each([&](int l) { put_out(l, s, now_[l]); });
    team_.section([](int) {});
    T* const to = layer(s, 0);
    team_.section([&](int l) {
      for (int k = 0; k < N; ++k) to[cell_of(l, k)] = now_[l].v[k];
    });
  }
  DWELL_FN static void push(window& w, int s, int k, T v) {
    if constexpr (variant.registers) {
      unrolled<0, 2 * R>([&](auto j) { w.v[s][j][k] = w.v[s][j + 1][k]; });
      w.v[s][2 * R][k] = v;
    }
  }

  /// The lane's cells after step s.
  template <bool Sides, int s>
  DWELL_FN cells next_of(int l) {
    cells next;
    const T* of[sizes::span];
    for (int j = 0; j < sizes::span; ++j) of[j] = layer(s, j);
    unrolled<0, N>([&](auto k) {
      const auto near = [&](int dz, int dy, int dx) {
        const int dl = S::dims == 3 ? dz : dy, dr = S::dims == 3 ? dy : 0;
        if (variant.registers && dx == 0 && within(k + dr, N) && (S::dims == 3 || dr == 0))
          return window_[l].v[s][R + dl][k + dr];
        return of[R + dl - sizes::unread][cell_of(l, k) + dr * row + dx];
      };
      T v = S::apply(near, a_.w);
      const int z = layer_of(s);
      const bool keeps = Sides && a_.edge == boundary::fixed &&
                         ((lane_[l].fixed >> k & 1u) != 0 || z < R || z >= layers_of_field() - R);
      if (keeps)
        v = near(0, 0, 0);
      else if (a_.source)
        v += source_at(l, k, z);
      next.v[k] = v;
    });
    return next;
  }
  DWELL_FN T source_at(int l, int k, int z) {
    if (a_.edge == boundary::fixed && !within(z, layers_of_field())) return T{};
    return a_.source[place_of(z, layers_of_field()) * layer_pitch() + lane_[l].at[k]];
  }
  DWELL_FN void put_out(int l, int s, const cells& now) {
    const int z = layer_of(s);
    if (!within(z - part_.first, part_.end - part_.first)) return;
    for (int k = 0; k < N; ++k)
      if (lane_[l].owned >> k & 1u) to_[z * layer_pitch() + lane_[l].at[k]] = now.v[k];
  }

  // Device tiling.
  DWELL_FN unsigned* flag_of(int team) const { return a_.flags + team * flag_distance; }
  /// Teams beside this one: above, below, left, right; -1: none.
  DWELL_FN int beside(int side) const {
    const int nx = a_.plan.subdomains_x, ny = a_.plan.subdomains_y;
    const int x = team_.worker() % nx + (side == 3) - (side == 2);
    const int y = team_.worker() / nx + (side == 1) - (side == 0);
    return within(x, nx) && within(y, ny) ? y * nx + x : -1;
  }
  /// f(x, y, side, i) for the cells of the frame that a lane takes: those of a star.
  template <class F>
  DWELL_FN static void each_of_frame(int l, F&& f) {
    for (int i = l; i < 2 * (width + height) * frame; i += perks_lanes) {
      const bool rows = i < 2 * width;
      const int side = rows ? i / width : 2 + (i - 2 * width) / height;
      const int at = rows ? i % width : (i - 2 * width) % height;
      f(side == 2   ? -1
        : side == 3 ? width
                    : at,
        side == 0   ? -1
        : side == 1 ? height
                    : at,
        side, at);
    }
  }
  DWELL_FN T* shown(int team, int s, int side, unsigned tick) const {
    const unsigned set = tick % queue_sets;
    return a_.streamed +
           ((std::ptrdiff_t{team} * queue_sets + set) * steps + s) * queue_sides *
               sizes::side_values +
           side * sizes::side_values;
  }
  /// What step s has left at the sides, for the teams beside.
  DWELL_FN void show_sides(int l, int s, const cells& now) {
    const int me = team_.worker();
    for (int k = 0; k < N; ++k) {
      const int x = x_of(l, k), y = y_of(l, k);
      if (y == 0) Team::publish_value(shown(me, s, 0, ended_) + x, now.v[k]);
      if (y == height - 1) Team::publish_value(shown(me, s, 1, ended_) + x, now.v[k]);
      if (x == 0) Team::publish_value(shown(me, s, 2, ended_) + y, now.v[k]);
      if (x == width - 1) Team::publish_value(shown(me, s, 3, ended_) + y, now.v[k]);
    }
  }
  /// Into the frames of the layers that are now the middle ones: what others left two ticks ago.
  DWELL_FN void take_sides() {
    if (ended_ - before_ < 2) return;
    team_.wait(
        queue_sides,
        [&](int side) -> unsigned* {
          const int other = beside(side);
          return other < 0 ? nullptr : flag_of(other);
        },
        ended_ - 1);
    team_.each([&](int l) {
      each_of_frame(l, [&](int x, int y, int side, int i) {
        const int other = beside(side);
        if (other < 0) return;
        T left[steps];
        unrolled<1, steps>([&](auto s) {
          left[s] = Team::received(shown(other, s - 1, side ^ 1, ended_ - 2) + i);
        });
        unrolled<1, steps>(
            [&](auto s) { layer(s, R - sizes::unread)[(y + frame) * row + x + frame] = left[s]; });
      });
    });
  }

  Team& team_;
  const stencil_call<S, T>& a_;
  const T* from_;
  T* to_;
  const int steps_;  ///< steps of this pass
  int at_;           ///< layers of the run
  const overlapping_tiles tiles_;
  int stop_;
  T* queue_;
  Copies copies_;
  column_part part_{};
  int x_ = 0, y_ = 0;  ///< where the team's tile begins
  int tick_ = 0, ticks_ = 0;
  int base_ = 0, heads_[steps] = {};
  bool has_sides_ = false, straight_ = false;
  unsigned ended_ = 0, before_ = 0;  ///< ticks of the run, and those before this pass
  decltype(std::declval<Team>().template per_lane<lane_facts>()) lane_;
  decltype(std::declval<Team>().template per_lane<window>()) window_;
  decltype(std::declval<Team>().template per_lane<cells>()) now_;
};

}  // namespace dwell
