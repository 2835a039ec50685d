// SPDX-License-Identifier: MIT
// A way down and a way up a level of multigrid by tiles: what phases.hpp does in three steps each,
// with a barrier of all teams behind each, is done by a team for the cells of a tile in memory of
// its own. Borders of a tile are computed by its neighbours as well, so that teams meet once. For
// levels of two colours with one row a plane.
//
// A tile has a slot for each cell. First colour: u, then the residual. Second colour: f, then u.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/tile_parts.hpp"

namespace dwell::grids {

class device_tiles : tile_parts {
 public:
  /// ones: as many as cells of a row and two.
  DWELL_FN device_tiles(const tile_room& room, const float* ones) : tile_parts(room), ones_(ones) {}

  /// Relaxes the second colour, and gathers the residuals to f of the next level; if that is not
  /// taken by tiles and not the bottom, its first colour is relaxed from 0.
  template <class Team>
  DWELL_APART void down(Team& team, bool alone, const device_level& l, const device_level& next,
                        level_visit visit, bool is_bottom) const {
    const bool first = visit != level_visit::second;
    for_tiles(team, alone, l, [&](const tile& t) {
      team.section([&](int lane) { describe<false>(lane, Team::lanes(), l, t); });
      team.section([&](int lane) { take_cells(lanes_of<Team>(lane, l, t), l, t, visit); });
      team.section([&](int lane) {
        relax_second(lanes_of<Team>(lane, l, t), l, t, 1, t.count() - 1, [](int, float, float) {});
      });
      team.section([&](int lane) {
        first ? leave_residual<true>(lanes_of<Team>(lane, l, t), l, t)
              : leave_residual<false>(lanes_of<Team>(lane, l, t), l, t);
      });
      team.section([&](int lane) {
        const tile_lane at = lanes_of<Team>(lane, l, t);
        if (!l.axes[2].halved)
          gather<false, true>(at, l, next, t, is_bottom);
        else if (l.axes[0].halved)
          gather<true, true>(at, l, next, t, is_bottom);
        else
          gather<true, false>(at, l, next, t, is_bottom);
      });
    });
  }

  /// Adds the correction of the next level to the first colour, relaxes the second one and the
  /// first: seen(lane, f, u) of all cells, as they are then.
  template <class Team, class Seen>
  DWELL_FN void up(Team& team, bool alone, const device_level& l, const device_level& next,
                   level_visit visit, Seen seen) const {
    for_tiles(team, alone, l, [&](const tile& t) {
      team.section([&](int lane) { describe<true>(lane, Team::lanes(), l, t); });
      team.section([&](int lane) {
        const tile_lane at = lanes_of<Team>(lane, l, t);
        if (!l.axes[2].halved)
          correct<false, true>(at, l, next, t, visit);
        else if (l.axes[0].halved)
          correct<true, true>(at, l, next, t, visit);
        else
          correct<true, false>(at, l, next, t, visit);
      });
      team.section([&](int lane) {
        relax_second(lanes_of<Team>(lane, l, t), l, t, 1, t.count() - 2, seen);
      });
      team.section([&](int lane) {
        relax_first(lanes_of<Team>(lane, l, t), l, t, visit == level_visit::first ? l.other : l.u,
                    seen);
      });
    });
  }

 private:
  /// u of the first colour as it is: of a first visit f over the diagonal, as it was relaxed from
  /// 0.
  class begun_cells {
   public:
    DWELL_FN begun_cells(const device_level& l, const float* ones, level_visit visit)
        : nx_(l.a.n[2]),
          is_first_(visit != level_visit::second),
          of_(is_first_ ? l.f : l.other),
          by_(is_first_ ? l.inverse : ones) {}
    DWELL_FN float at(const tile_row& r, int place) const {
      const float *const of = of_ + (static_cast<long long>(r.row) * nx_ + place),
                         *const by = by_ + ((is_first_ ? r.inverse : 0u) + place);
      in_memory(of, by);
      return *of * *by;
    }

   private:
    int nx_;
    bool is_first_;
    const float *of_, *by_;
  };
  struct both {
    float first, second;
  };

  DWELL_FN void take_cells(const tile_lane& at, const device_level& l, const tile& t,
                           level_visit visit) const {
    if (!at.used) return;
    const bool odd = at.first_is_odd(0);
    const begun_cells begun(l, ones_, visit);
    const float* const f = l.f + at.place(!odd);
    in_memory(f);
    const int nx = l.a.n[2], place = at.place(odd), stride = t.stride;
    const bool has_first = at.has(odd), has_second = at.has(!odd);
    float* const to = cells() + (at.i + (odd ? stride : 0));
    const int other = odd ? -stride : stride;
    each_row<4>(
        at, 0, t.count(),
        [=, this](int n) {
          const tile_row r = row(n);
          const float first = begun.at(r, place), second = f[static_cast<long long>(r.row) * nx];
          return both{has_first && r.there ? first : 0.0f, has_second && r.there ? second : 0.0f};
        },
        [=](int n, const both& v) {
          to[2 * n * stride] = v.first;
          to[2 * n * stride + other] = v.second;
        });
  }

  /// The sum over the faces of a cell of w times u of the neighbour, in the order of half_cells.
  class sums_of {
   public:
    DWELL_FN sums_of(const float* cells, const tile_lane& at, const device_level& l, const tile& t,
                     bool odd)
        : stride_(t.stride), place_(at.place(odd)), pool_(l.a.pool) {
      const int first_odd = l.a.n[2] / 2 + 1;
      low_w_ = odd ? first_odd + at.pair : at.pair;
      high_w_ = odd ? at.pair + 1 : first_odd + at.pair;
      own_ = cells + (at.i + (odd ? stride_ : 0));
      // Beyond the border something, of which nothing comes to own cells.
      const int shift = odd ? -stride_ : stride_;
      low_ = shift + (odd || at.i == 0 ? 0 : -1);
      high_ = shift + (odd && at.i + 1 < stride_ ? 1 : 0);
    }
    DWELL_FN float of(const tile_row& r, int n) const {
      const float *const x = pool_ + r.x, *const z0 = pool_ + r.z0, *const z1 = pool_ + r.z1;
      in_memory(x, z0, z1);
      const float* const own = own_ + 2 * n * stride_;
      return (x[low_w_] * own[low_] + x[high_w_] * own[high_]) +
             (z0[place_] * own[-2 * stride_] + z1[place_] * own[2 * stride_]);
    }

   private:
    int stride_, place_, low_w_, high_w_, low_, high_;
    const float *pool_, *own_;
  };

  template <class Seen>
  DWELL_FN void relax_second(const tile_lane& at, const device_level& l, const tile& t, int from,
                             int to, Seen seen) const {
    if (!at.used) return;
    struct value {
      float u, f;
    };
    const bool odd = !at.first_is_odd(from), has = at.has(odd), own = at.own && has;
    const sums_of sum(cells(), at, l, t, odd);
    const float* const inverse = l.inverse + at.place(odd);
    in_memory(inverse);
    const int stride = t.stride, lane = at.lane, own_end = tile::own() + t.r1 - t.r0;
    float* const cell = cells() + (at.i + (odd ? stride : 0));
    each_row<4>(
        at, from, to,
        [=, this](int n) {
          const tile_row r = row(n);
          const float f = cell[2 * n * stride], u = (f + sum.of(r, n)) * inverse[r.inverse];
          return value{has && r.there ? u : 0.0f, f};
        },
        [=](int n, const value& v) {
          cell[2 * n * stride] = v.u;
          if (own && n >= tile::own() && n < own_end) seen(lane, v.f, v.u);
        });
  }

  template <bool First>
  DWELL_FN void leave_residual(const tile_lane& at, const device_level& l, const tile& t) const {
    if (!at.used) return;
    const bool odd = at.first_is_odd(tile::own()), has = at.has(odd);
    const sums_of sum(cells(), at, l, t, odd);
    const float *const diagonal = l.diagonal + at.place(odd), *const f = l.f + at.place(odd);
    in_memory(diagonal, f);
    const int nx = l.a.n[2], stride = t.stride;
    float* const cell = cells() + (at.i + (odd ? stride : 0));
    each_row<4>(
        at, tile::own(), t.count() - 2,
        [=, this](int n) {
          const tile_row r = row(n);
          float v = sum.of(r, n);
          if constexpr (!First)
            v = (f[static_cast<long long>(r.row) * nx] + v) -
                cell[2 * n * stride] * diagonal[r.inverse];
          return has && r.there ? v : 0.0f;
        },
        [=](int n, float v) { cell[2 * n * stride] = v; });
  }

  /// X, Z: these axes are halved.
  template <bool X, bool Z>
  DWELL_FN void gather(const tile_lane& at, const device_level& l, const device_level& next,
                       const tile& t, bool is_bottom) const {
    if (!at.own || (X && !at.has_odd)) return;
    const int stride = t.stride, nx = next.a.n[2], c = at.pair;
    const bool three = next.colours == 3, writes_u = !is_bottom && next.tiles.count == 0;
    // Cells of the next level: one, or those of both halves.
    constexpr int halves = X ? 1 : 2;
    const int places[2] = {X ? (c & 1 ? next.a.evens() : 0) + (c >> 1) : at.even, X ? 0 : at.odd};
    const bool has[2] = {X || at.has_even, at.has_odd};
    const int first = Z ? t.r0 / 2 : t.r0, last = Z ? t.r1 / 2 : t.r1;
    // Where rows are halved, coarse ones are odd.
    const bool odd = Z || at.first_is_odd(first);
    const float *const x_pool = l.weights[2].pool, *const z_pool = l.weights[0].pool;
    const float* const residual = cells() + at.i;
    // What a row gives along x, with the first colour in its odd half or its even one.
    const auto of_row = [=, this](int n, bool is_odd, int half) {
      const float* const r = residual + 2 * n * stride;
      if constexpr (!X) return (half == 1) == is_odd ? r[half * stride] : 0.0f;
      if (is_odd) return r[stride];
      const tile_row of = row(n);
      const float *const before = x_pool + (of.x_before + c), *const after =
                                                                  x_pool + (of.x_after + c);
      in_memory(before, after);
      const float sum = *before * r[0] + *after * r[1];
      return of.there ? sum : 0.0f;
    };
    const auto of = [=, this](int n, int half) {
      const float own = of_row(n, odd, half);
      if constexpr (!Z) return own;
      const tile_row r = row(n);
      const float *const low = z_pool + (r.z_low + places[half]), *const high =
                                                                      z_pool +
                                                                      (r.z_high + places[half]);
      in_memory(low, high);
      const float by_low = *low, by_high = *high;
      return (own + (r.has_low ? by_low : 0.0f) * of_row(n - 1, false, half)) +
             (r.has_high ? by_high : 0.0f) * of_row(n + 1, false, half);
    };
    struct value {
      float f[2];
    };
    float *const next_f = next.f, *const next_u = next.u;
    const float* const inverse = next.inverse;
    const unsigned* const inverse_at = next.inverse_at;
    in_memory(next_f, next_u);
    each_row<4>(
        at, first, last,
        [=](int k) {
          const int n = tile::own() + (Z ? 2 * (k - first) + 1 : k - first);
          value v{};
          DWELL_UNROLL
          for (int half = 0; half < halves; ++half) v.f[half] = of(n, half);
          return v;
        },
        [=, &next](int k, const value& v) {
          const long long here = static_cast<long long>(k) * nx;
          DWELL_UNROLL
          for (int half = 0; half < halves; ++half)
            if (has[half]) next_f[here + places[half]] = v.f[half];
          if (!writes_u) return;
          const int of_even = three ? 0 : colour_of_row(next.a, 2, k, 0);
          DWELL_UNROLL
          for (int half = 0; half < halves; ++half) {
            if (!has[half]) continue;
            if (three)
              next_u[here + places[half]] = 0.0f;
            else if (of_even == (X ? c & 1 : half))
              next_u[here + places[half]] = v.f[half] * inverse[inverse_at[k] + places[half]];
          }
        });
  }

  template <bool X, bool Z>
  DWELL_FN void correct(const tile_lane& at, const device_level& l, const device_level& next,
                        const tile& t, level_visit visit) const {
    if (!at.used) return;
    if (at.first_is_odd(0))
      correct_half<X, Z, true>(at, l, next, t, visit);
    else
      correct_half<X, Z, false>(at, l, next, t, visit);
  }
  /// Odd: that half of the rows has the first colour.
  template <bool X, bool Z, bool Odd>
  DWELL_FN void correct_half(const tile_lane& at, const device_level& l, const device_level& next,
                             const tile& t, level_visit visit) const {
    const int coarse_n = next.a.n[2], coarse_evens = next.a.evens(), c = at.pair;
    const auto place_of = [=](int cell) { return (cell & 1 ? coarse_evens : 0) + (cell >> 1); };
    // Along x an even cell lies between two coarse ones, an odd one is coarse.
    const int low_c = c > 0 ? c - 1 : l.axes[2].wraps ? coarse_n - 1 : -1;
    const int some_low = low_c < 0 ? 0 : low_c, some_high = c < coarse_n ? c : coarse_n - 1;
    const bool has_low = low_c >= 0, has_high = c < coarse_n;
    const int low_at = place_of(some_low), high_at = X ? place_of(some_high) : at.place(Odd);
    const float *const x_pool = l.weights[2].pool, *const z_pool = l.weights[0].pool;
    const float *const next_u = next.u, *const f = l.f + at.place(!Odd);
    in_memory(next_u, f);
    const begun_cells begun(l, ones_, visit);
    const int nx = l.a.n[2], place = at.place(Odd), stride = t.stride;
    const bool has_first = at.has(Odd), has_second = at.has(!Odd);
    float* const to = cells() + (at.i + (Odd ? stride : 0));
    const int other = Odd ? -stride : stride;
    each_row<4>(
        at, 0, t.count() - 1,
        [=, this](int n) {
          const tile_row r = row(n);
          const auto coarse = [&](int p) {
            const float low = next_u[static_cast<long long>(r.low) * coarse_n + p];
            if constexpr (!Z || Odd) return low;
            const float high = next_u[static_cast<long long>(r.high) * coarse_n + p];
            const float *const by_low = z_pool + (r.z_low + p), *const by_high =
                                                                    z_pool + (r.z_high + p);
            in_memory(by_low, by_high);
            const float low_w = *by_low, high_w = *by_high;
            return (r.has_low ? low_w : 0.0f) * low + (r.has_high ? high_w : 0.0f) * high;
          };
          float sum = coarse(high_at);
          if constexpr (X && !Odd) {
            const float *const by_low = x_pool + (r.x_after + some_low), *const by_high =
                                                                             x_pool + (r.x_before +
                                                                                       some_high);
            in_memory(by_low, by_high);
            const float low_w = *by_low, high_w = *by_high;
            sum = (has_low ? low_w : 0.0f) * coarse(low_at) + (has_high ? high_w : 0.0f) * sum;
          }
          const float first = begun.at(r, place) + sum;
          const float second = f[static_cast<long long>(r.row) * nx];
          return both{has_first && r.there ? first : 0.0f, has_second && r.there ? second : 0.0f};
        },
        [=](int n, const both& v) {
          to[2 * n * stride] = v.first;
          to[2 * n * stride + other] = v.second;
        });
  }

  template <class Seen>
  DWELL_FN void relax_first(const tile_lane& at, const device_level& l, const tile& t, float* to,
                            Seen seen) const {
    if (!at.own) return;
    struct value {
      float u, f, second;
    };
    const bool odd = at.first_is_odd(tile::own()), has = at.has(odd), has_other = at.has(!odd);
    const sums_of sum(cells(), at, l, t, odd);
    const float *const inverse = l.inverse + at.place(odd), *const f = l.f + at.place(odd);
    in_memory(inverse, f, to);
    const int nx = l.a.n[2], stride = t.stride, lane = at.lane;
    const int place = at.place(odd), other_place = at.place(!odd);
    const long long first_row = static_cast<long long>(t.r0 - tile::own()) * nx;
    const float* const second = cells() + (at.i + (odd ? 0 : stride));
    each_row<4>(
        at, tile::own(), tile::own() + t.r1 - t.r0,
        [=, this](int n) {
          const tile_row r = row(n);
          const float v = f[static_cast<long long>(r.row) * nx];
          return value{(v + sum.of(r, n)) * inverse[r.inverse], v, second[2 * n * stride]};
        },
        [=](int n, const value& v) {
          float* const u = to + (first_row + static_cast<long long>(n) * nx);
          if (has) {
            u[place] = v.u;
            seen(lane, v.f, v.u);
          }
          if (has_other) u[other_place] = v.second;
        });
  }

  const float* ones_;
};

}  // namespace dwell::grids
