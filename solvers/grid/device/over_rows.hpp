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

/// of_row(lane, row) gives a row_job: for all rows, dealt to the lanes of all teams, or of this one
/// alone. Halves: the cells of a row are counted from its beginning to its end, else those of a
/// half. A lane reads for some cells before it writes for the first of them, so that their loads
/// are under way together: nothing that is read in a step may be written in it but by the same
/// cell's put.
template <int Together, bool Halves, class Team, class F>
DWELL_FN void over_rows(Team& team, bool alone, const row_deal& d, int rows, F&& of_row) {
  const int worker = team.worker();
  const int first = alone ? 0 : worker * d.each + (worker < d.rest ? worker : d.rest);
  const int last = alone ? rows << d.piece_bits : first + d.each + (worker < d.rest ? 1 : 0);
  team.each([&](int lane) {
    const int along = lane & ((1 << d.lane_bits) - 1), groups = Team::lanes() >> d.lane_bits;
    const int step = 1 << d.lane_bits, length = Halves ? d.piece : 2 * d.piece;
    for (int unit = first + (lane >> d.lane_bits); unit < last; unit += groups) {
      const int row = unit >> d.piece_bits, piece = unit & ((1 << d.piece_bits) - 1);
      auto&& cells = of_row(lane, row);
      const int begin = piece * length, to = begin + length;
      const int end = to < cells.count ? to : cells.count;
      int i = begin + along;
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
  });
}

}  // namespace dwell::grids
