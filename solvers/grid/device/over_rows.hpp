// SPDX-License-Identifier: MIT
// The loop over rows of cells that all steps on a device are made of.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/args.hpp"

namespace dwell::grids {

/// What is done with `count` cells of a row: get(i) reads what is there for cell i, put(i, it)
/// writes.
template <class Get, class Put>
struct row_job {
  int count;
  Get get;
  Put put;
};
template <class Get, class Put>
DWELL_FN row_job<Get, Put> job(int count, Get get, Put put) {
  return {count, get, put};
}

/// The cells of a row that a lane has: take<Together>(a row_job) does them, of which it reads some
/// before it writes for the first of them, so that their loads are under way together: nothing that
/// is read in a step may be written in it but by the same cell's put.
struct row_part {
  int first, to, step;

  template <int Together, class Get, class Put>
  DWELL_FN void take(const row_job<Get, Put>& cells) const {
    const int end = to < cells.count ? to : cells.count;
    int i = first;
    DWELL_ROLLED
    for (; i + (Together - 1) * step < end; i += Together * step) {
      decltype(cells.get(i)) values[Together];
      DWELL_UNROLL
      for (int c = 0; c < Together; ++c) values[c] = cells.get(i + c * step);
      DWELL_UNROLL
      for (int c = 0; c < Together; ++c) cells.put(i + c * step, values[c]);
    }
    DWELL_ROLLED
    for (; i < end; i += step) cells.put(i, cells.get(i));
  }
};

/// of_row(lane, row, its row_part) for all rows, dealt to the lanes of all teams, or of this one
/// alone. Halves: the cells of a half are counted, else those of a row from its beginning to its
/// end. Alternate: every second round goes back from the last lanes to the first, so that none has
/// even rows only; for steps in which these take longer.
template <bool Halves, bool Alternate, class Team, class F>
DWELL_FN void each_row(Team& team, bool alone, const row_deal& d, int rows, F&& of_row) {
  const int worker = team.worker();
  const int first = alone ? 0 : worker * d.each + (worker < d.rest ? worker : d.rest);
  const int last = alone ? rows << d.piece_bits : first + d.each + (worker < d.rest ? 1 : 0);
  team.each([&](int lane) {
    const int along = lane & ((1 << d.lane_bits) - 1), groups = Team::lanes() >> d.lane_bits;
    const int length = Halves ? d.piece : 2 * d.piece;
    const int group = lane >> d.lane_bits;
    int step = groups, other = groups;  // to the unit of the next round, and of the one after it
    if constexpr (Alternate) step = 2 * (groups - group) - 1, other = 2 * group + 1;
    for (int unit = first + group; unit < last;) {
      const int row = unit >> d.piece_bits, piece = unit & ((1 << d.piece_bits) - 1);
      const int begin = piece * length;
      of_row(lane, row, row_part{begin + along, begin + length, 1 << d.lane_bits});
      unit += step;
      if constexpr (Alternate) {
        const int before = step;
        step = other, other = before;
      }
    }
  });
}

/// Likewise, where of_row(lane, row) gives the one row_job of a row.
template <int Together, bool Halves, class Team, class F>
DWELL_FN void over_rows(Team& team, bool alone, const row_deal& d, int rows, F&& of_row) {
  each_row<Halves, false>(team, alone, d, rows, [&](int lane, int row, const row_part& part) {
    part.template take<Together>(of_row(lane, row));
  });
}

}  // namespace dwell::grids
