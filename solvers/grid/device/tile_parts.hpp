// SPDX-License-Identifier: MIT
// Tiles of a level of multigrid on a device: what a team has in memory of its own for one, which
// cells a lane takes, and where their coefficients are.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"

namespace dwell::grids {

/// What a team knows of a row of a tile: its place on the level and those of its coefficients in
/// their pools. Of a row that is not there those of another one, so that loads need no branches.
struct tile_row {
  int row;
  bool there, has_low, has_high;
  unsigned x, z0, z1, inverse;
  unsigned x_before, x_after;  ///< weights of the coarse cells after and before a cell
  /// Down, of a coarse row: whether there are rows before and after it, and its weights of them.
  /// Up, of a row between two coarse ones: these, and their weights of it; of a coarse one its own
  /// place, `low`.
  int low, high;
  unsigned z_low, z_high;
};

/// Memory of a team for a tile.
struct tile_room {
  float* cells = nullptr;
  tile_row* rows = nullptr;
};

/// What tiles are made of.
class tile_parts {
 protected:
  DWELL_FN explicit tile_parts(const tile_room& room) : room_(room) {}

  /// Rows r0 to before r1 and pairs of cells c0 to before c1 are the tile's own. Two rows before
  /// them and three after them belong to its border, a pair before and two after.
  struct tile {
    int r0, r1, c0, c1, stride;  ///< slots of half a row

    DWELL_FN int count() const { return r1 - r0 + tile_rows_more; }
    DWELL_FN static constexpr int own() { return 2; }  ///< the first own row
  };
  /// The pair of cells that a lane has in all its rows, and the places of these in a row: of cells
  /// that are not there those of others. Groups are of an even number, so that the rows of a lane
  /// have the first colour in the same half.
  struct tile_lane {
    int lane, group, groups, i;  ///< number of the pair among those of the tile
    int pair, even, odd;
    bool has_even, has_odd, own, used;

    DWELL_FN int place(bool odd_half) const { return odd_half ? odd : even; }
    DWELL_FN bool has(bool odd_half) const { return odd_half ? has_odd : has_even; }
    /// Which half has the first colour in rows that begin with row `from` of the tile: of even rows
    /// the even cells. Own rows begin with an even one.
    DWELL_FN bool first_is_odd(int from) const { return (from + group) & 1; }
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
    to.has_even = pair >= 0 && pair < evens;
    to.has_odd = pair >= 0 && pair < odds;
    to.own = to.i > 0 && to.i <= t.c1 - t.c0;
    const int within = pair < 0 ? 0 : pair < evens ? pair : evens - 1;
    to.pair = within;
    to.even = within;
    to.odd = odds == 0 ? 0 : evens + (within < odds ? within : odds - 1);
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
  DWELL_FN tile_row row(int n) const {
    DWELL_IN_SCRATCH(room_.rows);
    return room_.rows[n];
  }

  template <bool Up>
  DWELL_FN void describe(int lane, int lanes, const device_level& l, const tile& t) const {
    const device_operator<float>& a = l.a;
    const halved_axis& az = l.axes[0];
    const int nz = a.n[0];
    DWELL_IN_SCRATCH(room_.rows);
    DWELL_ROLLED
    for (int n = lane; n < t.count(); n += lanes) {
      int k = t.r0 - tile::own() + n;
      if (a.wraps[0]) k = k < 0 ? k + nz : k % nz;
      tile_row to{};
      to.there = k >= 0 && k < nz;
      if (!to.there) k = k < 0 ? 0 : nz - 1;
      to.row = k;
      to.x = a.x[k], to.z0 = a.z[k], to.z1 = a.z[k + 1];
      to.inverse = l.inverse_at[k];
      if (l.axes[2].halved)
        to.x_before = l.weights[2].before[k], to.x_after = l.weights[2].after[k];
      const bool is_coarse = az.is_coarse(k);
      int low = -1, high = -1;
      if (Up) {
        low = is_coarse ? az.coarse_at(k) : az.coarse_before(k);
        high = is_coarse ? -1 : az.coarse_after(k);
        if (!is_coarse) {
          if (low >= 0) to.z_low = l.weights[0].after[low];
          if (high >= 0) to.z_high = l.weights[0].before[high];
        }
      } else if (az.halved && is_coarse) {
        const int c = az.coarse_at(k);
        low = az.before(c), high = az.after(c);
        if (low >= 0) to.z_low = l.weights[0].before[c];
        if (high >= 0) to.z_high = l.weights[0].after[c];
      }
      to.has_low = low >= 0, to.has_high = high >= 0;
      to.low = low < 0 ? 0 : low, to.high = high < 0 ? 0 : high;
      room_.rows[n] = to;
    }
  }

 private:
  tile_room room_;
};

}  // namespace dwell::grids
