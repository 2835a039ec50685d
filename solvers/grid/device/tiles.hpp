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

namespace dwell::grids {

/// What a team knows of a row of a tile: its place on the level (-1: none) and those of its
/// coefficients in their pools.
struct tile_row {
  int row;
  unsigned x, z0, z1, inverse;
  unsigned x_before, x_after;  ///< weights of the coarse cells after and before a cell
  /// Down, of a coarse row: whether there are rows before and after it, and its weights of them.
  /// Up, of a row between two coarse ones: these, -1 where there is none, and their weights of it.
  int low, high;
  unsigned z_low, z_high;
};

/// Memory of a team for a tile.
struct tile_room {
  float* cells = nullptr;
  tile_row* rows = nullptr;
};

class device_tiles {
 public:
  /// zeros: as many as cells of a row and two.
  DWELL_FN device_tiles(const tile_room& room, const float* zeros) : room_(room), zeros_(zeros) {}

  /// Relaxes the second colour, and gathers the residuals to f of the next level; if that is not
  /// taken by tiles and not the bottom, its first colour is relaxed from 0.
  template <class Team>
  DWELL_APART void down(Team& team, bool alone, const device_level& l, const device_level& next,
                        level_visit visit, bool is_bottom) const {
    const bool first = visit != level_visit::second;
    for_tiles(team, alone, l, [&](const tile& t) {
      team.section([&](int lane) { describe<false>(lane, Team::lanes(), l, t); });
      team.section([&](int lane) {
        first ? take_cells<true>(lanes_of<Team>(lane, l, t), l, t)
              : take_cells<false>(lanes_of<Team>(lane, l, t), l, t);
      });
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
    const bool first = visit != level_visit::second;
    for_tiles(team, alone, l, [&](const tile& t) {
      team.section([&](int lane) { describe<true>(lane, Team::lanes(), l, t); });
      team.section([&](int lane) {
        const tile_lane at = lanes_of<Team>(lane, l, t);
        first ? correct<true>(at, l, next, t) : correct<false>(at, l, next, t);
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
  /// Rows r0 to before r1 and pairs of cells c0 to before c1 are the tile's own. Two rows before
  /// them and three after them belong to its border, a pair before and two after.
  struct tile {
    int r0, r1, c0, c1, stride;  ///< slots of half a row

    DWELL_FN int count() const { return r1 - r0 + tile_rows_more; }
    DWELL_FN static constexpr int own() { return 2; }  ///< the first own row
  };
  /// The pair of cells that a lane has in all its rows, and the places of these in a row: of cells
  /// that are not there those of others.
  struct tile_lane {
    int lane, group, groups, i;  ///< number of the pair among those of the tile
    int pair, places[2];
    bool there[2], own, used;
  };

  template <class Team, class F>
  DWELL_FN static void for_tiles(Team& team, bool alone, const device_level& l, F&& f) {
    const tile_deal& d = l.tiles;
    const int step = alone ? 1 : team.workers();
    DWELL_ROLLED
    for (int n = alone ? 0 : team.worker(); n < d.count; n += step) {
      const int r0 = n / d.across * d.rows, c0 = n % d.across * d.pairs;
      const int r1 = r0 + d.rows, c1 = c0 + d.pairs, evens = l.a.evens();
      f(tile{r0, r1 < l.a.n[0] ? r1 : l.a.n[0], c0, c1 < evens ? c1 : evens,
             d.pairs + tile_pairs_more});
    }
  }

  template <class Team>
  DWELL_FN static tile_lane lanes_of(int lane, const device_level& l, const tile& t) {
    const int nx = l.a.n[2], evens = l.a.evens(), odds = l.a.odds();
    tile_lane to;
    to.lane = lane;
    to.i = lane & ((1 << l.tiles.lane_bits) - 1);
    to.group = lane >> l.tiles.lane_bits;
    to.groups = Team::lanes() >> l.tiles.lane_bits;
    int pair = t.c0 - 1 + to.i;
    if (l.a.wraps[2] && nx > 1) pair = pair < 0 ? pair + evens : pair % evens;
    to.used = to.i < t.stride;
    to.there[0] = pair >= 0 && pair < evens;
    to.there[1] = pair >= 0 && pair < odds;
    to.own = to.i > 0 && to.i <= t.c1 - t.c0;
    const int within = pair < 0 ? 0 : pair < evens ? pair : evens - 1;
    to.pair = within;
    to.places[0] = within;
    to.places[1] = odds == 0 ? 0 : evens + (within < odds ? within : odds - 1);
    return to;
  }

  /// put(row of the tile, get(it)) for rows from `from` to before `to`.
  template <int Together, class Get, class Put>
  DWELL_FN static void each_row(const tile_lane& at, int from, int to, Get&& get, Put&& put) {
    int n = from + at.group;
    DWELL_ROLLED
    for (; n + (Together - 1) * at.groups < to; n += Together * at.groups) {
      decltype(get(n)) values[Together];
      DWELL_UNROLL
      for (int k = 0; k < Together; ++k) values[k] = get(n + k * at.groups);
      DWELL_UNROLL
      for (int k = 0; k < Together; ++k) put(n + k * at.groups, values[k]);
    }
    DWELL_ROLLED
    for (; n < to; n += at.groups) put(n, get(n));
  }

  DWELL_FN float* cells() const {
    DWELL_IN_SCRATCH(room_.cells);
    return room_.cells;
  }
  DWELL_FN tile_row& row(int n) const {
    DWELL_IN_SCRATCH(room_.rows);
    return room_.rows[n];
  }
  /// A row of an array of the level; of zeros where there is none.
  template <class V>
  DWELL_FN const V* row_of(const V* cells, int row, int n) const {
    const V* const to = row < 0 ? zeros_ : cells + static_cast<long long>(row) * n;
    in_memory(to);
    return to;
  }
  /// Half of a row has the first colour: of even rows the even cells. Own rows begin with an even
  /// one.
  DWELL_FN static int first_half(int n) { return n & 1; }

  template <bool Up>
  DWELL_FN void describe(int lane, int lanes, const device_level& l, const tile& t) const {
    const device_operator<float>& a = l.a;
    const halved_axis& az = l.axes[0];
    DWELL_ROLLED
    for (int n = lane; n < t.count(); n += lanes) {
      const int nz = a.n[0];
      int k = t.r0 - tile::own() + n;
      if (a.wraps[0])
        k = k < 0 ? k + nz : k % nz;
      else if (k >= nz)
        k = -1;
      tile_row to{k < 0 ? -1 : k, 0, 0, 0, 0, 0, 0, -1, -1, 0, 0};
      if (to.row >= 0) {
        to.x = a.x[k], to.z0 = a.z[k], to.z1 = a.z[k + 1];
        to.inverse = l.inverse_at[k];
        if (l.axes[2].halved)
          to.x_before = l.weights[2].before[k], to.x_after = l.weights[2].after[k];
        if (Up) {
          to.low = az.is_coarse(k) ? az.coarse_at(k) : az.coarse_before(k);
          to.high = az.is_coarse(k) ? -1 : az.coarse_after(k);
          if (!az.is_coarse(k)) {
            if (to.low >= 0) to.z_low = l.weights[0].after[to.low];
            if (to.high >= 0) to.z_high = l.weights[0].before[to.high];
          }
        } else if (az.halved && az.is_coarse(k)) {
          const int c = az.coarse_at(k);
          to.low = az.before(c), to.high = az.after(c);
          if (to.low >= 0) to.z_low = l.weights[0].before[c];
          if (to.high >= 0) to.z_high = l.weights[0].after[c];
        }
      }
      row(n) = to;
    }
  }

  /// u of the first colour. First: from f, as it was relaxed from 0.
  template <bool First>
  DWELL_FN float first_of(const device_level& l, const tile_row& r, int place) const {
    const int nx = l.a.n[2];
    if constexpr (!First) return row_of(l.other, r.row, nx)[place];
    const float* const by = r.row < 0 ? zeros_ : l.inverse + r.inverse;
    in_memory(by);
    return row_of(l.f, r.row, nx)[place] * by[place];
  }
  struct both {
    float first, second;
  };
  DWELL_FN void put_cells(const tile_lane& at, const tile& t, int n, const both& v) const {
    const int odd = first_half(n);
    float* const to = cells() + (2 * n * t.stride + at.i);
    to[odd * t.stride] = at.there[odd] ? v.first : 0.0f;
    to[(1 - odd) * t.stride] = at.there[1 - odd] ? v.second : 0.0f;
  }
  template <bool First>
  DWELL_FN void take_cells(const tile_lane& at, const device_level& l, const tile& t) const {
    if (!at.used) return;
    each_row<4>(
        at, 0, t.count(),
        [&](int n) {
          const tile_row& r = row(n);
          const int odd = first_half(n);
          return both{first_of<First>(l, r, at.places[odd]),
                      row_of(l.f, r.row, l.a.n[2])[at.places[1 - odd]]};
        },
        [&](int n, const both& v) { put_cells(at, t, n, v); });
  }

  /// The sum over the faces of a cell of w times u of the neighbour, in the order of half_cells.
  DWELL_FN float sum_of(const tile_lane& at, const device_level& l, const tile& t, int n,
                        int odd) const {
    const tile_row& r = row(n);
    const int stride = t.stride, i = at.i;
    const float* const x = l.a.pool + r.x;
    const float* const x_odd = x + (l.a.n[2] / 2 + 1);
    const float *const z0 = l.a.pool + r.z0, *const z1 = l.a.pool + r.z1;
    in_memory(x, x_odd, z0, z1);
    const float low_w = odd ? x_odd[at.pair] : x[at.pair];
    const float high_w = odd ? x[at.pair + 1] : x_odd[at.pair];
    const float* const own = cells() + 2 * n * stride;
    const float* const others = own + (1 - odd) * stride;
    // Beyond the border something, of which nothing comes to own cells.
    const int low_i = odd || i == 0 ? i : i - 1, high_i = odd && i + 1 < stride ? i + 1 : i;
    const float low = others[low_i], high = others[high_i];
    const float before = own[(odd - 2) * stride + i], after = own[(odd + 2) * stride + i];
    const int place = at.places[odd];
    return (low_w * low + high_w * high) + (z0[place] * before + z1[place] * after);
  }

  template <class Seen>
  DWELL_FN void relax_second(const tile_lane& at, const device_level& l, const tile& t, int from,
                             int to, Seen seen) const {
    if (!at.used) return;
    struct value {
      float u, f;
    };
    each_row<4>(
        at, from, to,
        [&](int n) {
          const tile_row& r = row(n);
          const int odd = 1 - first_half(n);
          const float* const by = r.row < 0 ? zeros_ : l.inverse + r.inverse;
          in_memory(by);
          const float f = cells()[(2 * n + odd) * t.stride + at.i];
          return value{(f + sum_of(at, l, t, n, odd)) * by[at.places[odd]], f};
        },
        [&](int n, const value& v) {
          const int odd = 1 - first_half(n);
          cells()[(2 * n + odd) * t.stride + at.i] = at.there[odd] ? v.u : 0.0f;
          if (at.own && at.there[odd] && n >= tile::own() && n < tile::own() + t.r1 - t.r0)
            seen(at.lane, v.f, v.u);
        });
  }

  template <bool First>
  DWELL_FN void leave_residual(const tile_lane& at, const device_level& l, const tile& t) const {
    if (!at.used) return;
    each_row<4>(
        at, tile::own(), t.count() - 2,
        [&](int n) {
          const int odd = first_half(n), place = at.places[odd];
          const float sum = sum_of(at, l, t, n, odd);
          if constexpr (First) return sum;
          const tile_row& r = row(n);
          const float* const diagonal = r.row < 0 ? zeros_ : l.diagonal + r.inverse;
          in_memory(diagonal);
          const float u = cells()[(2 * n + odd) * t.stride + at.i];
          return (row_of(l.f, r.row, l.a.n[2])[place] + sum) - u * diagonal[place];
        },
        [&](int n, float v) {
          const int odd = first_half(n);
          cells()[(2 * n + odd) * t.stride + at.i] = at.there[odd] ? v : 0.0f;
        });
  }

  /// X, Z: these axes are halved.
  template <bool X, bool Z>
  DWELL_FN void gather(const tile_lane& at, const device_level& l, const device_level& next,
                       const tile& t, bool is_bottom) const {
    if (!at.own || (X && !at.there[1])) return;
    const int stride = t.stride, i = at.i;
    const int nx = next.a.n[2], coarse_evens = next.a.evens();
    const bool three = next.colours == 3, writes_u = !is_bottom && next.tiles.count == 0;
    const int c = at.pair;
    const int places[2] = {X ? (c & 1 ? coarse_evens : 0) + (c >> 1) : at.places[0],
                           X ? 0 : at.places[1]};
    const int first = Z ? t.r0 / 2 : t.r0, last = Z ? t.r1 / 2 : t.r1;
    // What a row gives along x: of cells of the half `half`, if that axis is not halved.
    const auto of_row = [&](int n, int half) {
      const float* const r = cells() + (2 * n * stride + i);
      const int odd = first_half(n);
      if constexpr (!X) return odd == half ? r[half * stride] : 0.0f;
      if (odd) return r[stride];
      const tile_row& of = row(n);
      const float* const before = of.row < 0 ? zeros_ : l.weights[2].pool + of.x_before;
      const float* const after = of.row < 0 ? zeros_ : l.weights[2].pool + of.x_after;
      in_memory(before, after);
      return before[c] * r[0] + after[c] * r[1];
    };
    const auto of = [&](int n, int half) {
      const float own = of_row(n, half);
      if constexpr (!Z) return own;
      const tile_row& r = row(n);
      const float* const low = r.low < 0 ? zeros_ : l.weights[0].pool + r.z_low;
      const float* const high = r.high < 0 ? zeros_ : l.weights[0].pool + r.z_high;
      in_memory(low, high);
      return (own + low[places[half]] * of_row(n - 1, half)) +
             high[places[half]] * of_row(n + 1, half);
    };
    struct value {
      float f[2], by[2];
    };
    constexpr int halves = X ? 1 : 2;
    // The first colour of a coarse row, and that of the cell in half `half` of the tile's row.
    const auto is_first = [&](int k, int half) {
      return colour_of_row(next.a, 2, k, 0) == (X ? c & 1 : half);
    };
    each_row<2>(
        at, first, last,
        [&](int k) {
          const int n = tile::own() + (Z ? 2 * (k - first) + 1 : k - first);
          value v{};
          const float* const inverse =
              writes_u && !three ? next.inverse + next.inverse_at[k] : zeros_;
          in_memory(inverse);
          DWELL_UNROLL
          for (int half = 0; half < halves; ++half) {
            v.f[half] = of(n, half);
            v.by[half] = inverse[places[half]];
          }
          return v;
        },
        [&](int k, const value& v) {
          const long long here = static_cast<long long>(k) * nx;
          DWELL_UNROLL
          for (int half = 0; half < halves; ++half) {
            if (!X && !at.there[half]) continue;
            float *const f = next.f + (here + places[half]), *const u =
                                                                 next.u + (here + places[half]);
            in_memory(f, u);
            *f = v.f[half];
            if (writes_u && (three || is_first(k, half)))
              *u = three ? 0.0f : v.f[half] * v.by[half];
          }
        });
  }

  template <bool First>
  DWELL_FN void correct(const tile_lane& at, const device_level& l, const device_level& next,
                        const tile& t) const {
    if (!at.used) return;
    const int nx = next.a.n[2], coarse_evens = next.a.evens(), c = at.pair;
    const halved_axis &ax = l.axes[2], &az = l.axes[0];
    const auto place_of = [=](int cell) { return (cell & 1 ? coarse_evens : 0) + (cell >> 1); };
    const int low_c = c > 0 ? c - 1 : ax.wraps ? nx - 1 : -1, high_c = c < nx ? c : -1;
    const int low_at = place_of(low_c < 0 ? 0 : low_c), high_at = place_of(high_c < 0 ? 0 : high_c);
    each_row<4>(
        at, 0, t.count() - 1,
        [&](int n) {
          const tile_row& r = row(n);
          const int odd = first_half(n), place = at.places[odd];
          const bool own_row = !az.halved || first_half(n) == 1;
          const float *const low = row_of(next.u, r.low, nx), *const high =
                                                                  row_of(next.u, r.high, nx);
          const float* const low_w = r.low < 0 ? zeros_ : l.weights[0].pool + r.z_low;
          const float* const high_w = r.high < 0 ? zeros_ : l.weights[0].pool + r.z_high;
          in_memory(low_w, high_w);
          const auto coarse = [&](int p) {
            if (own_row) return low[p];
            return low_w[p] * low[p] + high_w[p] * high[p];
          };
          float sum;
          if (!ax.halved) {
            sum = coarse(place);
          } else if (odd) {
            sum = coarse(high_at);
          } else {
            const float* const x_low = r.row < 0 ? zeros_ : l.weights[2].pool + r.x_after;
            const float* const x_high = r.row < 0 ? zeros_ : l.weights[2].pool + r.x_before;
            in_memory(x_low, x_high);
            const float by_low = x_low[low_c < 0 ? 0 : low_c];
            const float by_high = x_high[high_c < 0 ? 0 : high_c];
            sum = (low_c < 0 ? 0.0f : by_low) * coarse(low_at) +
                  (high_c < 0 ? 0.0f : by_high) * coarse(high_at);
          }
          return both{first_of<First>(l, r, place) + sum,
                      row_of(l.f, r.row, l.a.n[2])[at.places[1 - odd]]};
        },
        [&](int n, const both& v) { put_cells(at, t, n, v); });
  }

  template <class Seen>
  DWELL_FN void relax_first(const tile_lane& at, const device_level& l, const tile& t, float* to,
                            Seen seen) const {
    if (!at.own) return;
    struct value {
      float u, f, second;
    };
    const int nx = l.a.n[2];
    each_row<4>(
        at, tile::own(), tile::own() + t.r1 - t.r0,
        [&](int n) {
          const tile_row& r = row(n);
          const int odd = first_half(n), place = at.places[odd];
          const float* const by = l.inverse + r.inverse;
          in_memory(by);
          const float f = row_of(l.f, r.row, nx)[place];
          return value{(f + sum_of(at, l, t, n, odd)) * by[place], f,
                       cells()[(2 * n + 1 - odd) * t.stride + at.i]};
        },
        [&](int n, const value& v) {
          const int odd = first_half(n);
          float* const u = to + static_cast<long long>(row(n).row) * nx;
          in_memory(u);
          if (at.there[odd]) {
            u[at.places[odd]] = v.u;
            seen(at.lane, v.f, v.u);
          }
          if (at.there[1 - odd]) u[at.places[1 - odd]] = v.second;
        });
  }

  tile_room room_;
  const float* zeros_;
};

}  // namespace dwell::grids
