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
/// is read in a step may be written in it but by the same cell's put. Where fewer are left, a lane
/// reads one of them again in place of others: one by one would be as many round trips to memory.
struct row_part {
  int begin, along, to, step;  ///< first cell and this lane's number, of lanes that go together

  template <class Get, class Put>
  DWELL_FN int end_of(const row_job<Get, Put>& cells) const {
    return to < cells.count ? to : cells.count;
  }
  template <int Together, class Get, class Put>
  DWELL_FN void take(const row_job<Get, Put>& cells) const {
    take_from<Together>(begin, end_of(cells), cells);
  }

 private:
  /// `from` is the same for lanes that go together, and so is what they do.
  template <int Together, class Get, class Put>
  DWELL_FN void take_from(int from, int end, const row_job<Get, Put>& cells) const {
    DWELL_ROLLED
    for (; from + Together / 2 * step < end; from += Together * step) {
      const int i = from + along;
      if (i >= end) continue;
      decltype(cells.get(i)) values[Together];
      DWELL_UNROLL
      for (int c = 0; c < Together; ++c)
        values[c] = cells.get(i + c * step < end ? i + c * step : i);
      DWELL_UNROLL
      for (int c = 0; c < Together; ++c)
        if (i + c * step < end) cells.put(i + c * step, values[c]);
    }
    if constexpr (Together > 1) take_from<Together / 2>(from, end, cells);
  }
};

/// Likewise what a lane has of two rows, up to Each cells of each.
template <int Each, class Job>
DWELL_FN void take_both(const row_part& a, const Job& of_a, const row_part& b, const Job& of_b) {
  const int end_a = a.end_of(of_a), end_b = b.end_of(of_b);
  if (a.begin >= end_a || b.begin >= end_b) {
    a.template take<1>(of_a);
    return b.template take<1>(of_b);
  }
  const auto place = [](const row_part& p, int end, int c) {
    const int i = p.begin + p.along + c * p.step;
    return i < end ? i : end - 1;
  };
  decltype(of_a.get(0)) values[2][Each];
  DWELL_UNROLL
  for (int c = 0; c < Each; ++c) values[0][c] = of_a.get(place(a, end_a, c));
  DWELL_UNROLL
  for (int c = 0; c < Each; ++c) values[1][c] = of_b.get(place(b, end_b, c));
  DWELL_UNROLL
  for (int c = 0; c < Each; ++c)
    if (const int i = a.begin + a.along + c * a.step; i < end_a) of_a.put(i, values[0][c]);
  DWELL_UNROLL
  for (int c = 0; c < Each; ++c)
    if (const int i = b.begin + b.along + c * b.step; i < end_b) of_b.put(i, values[1][c]);
}

/// of_row(lane, row, its row_part) for all rows, dealt to the lanes of all teams, or of this one
/// alone. Halves: the cells of a row are counted from its beginning to its end, else those of a
/// half. Alternate: every second round goes back from the last lanes to the first, so that none has
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
      of_row(lane, row, row_part{begin, along, begin + length, 1 << d.lane_bits});
      unit += step;
      if constexpr (Alternate) {
        const int before = step;
        step = other, other = before;
      }
    }
  });
}

/// Takes two rows of a lane together, where they are short.
template <int Each, bool Halves, class Team, class F>
DWELL_FN void over_two_rows(Team& team, bool alone, const row_deal& d, int rows, F&& of_row) {
  const int worker = team.worker(), length = Halves ? d.piece : 2 * d.piece;
  const int first = alone ? 0 : worker * d.each + (worker < d.rest ? worker : d.rest);
  const int last = alone ? rows << d.piece_bits : first + d.each + (worker < d.rest ? 1 : 0);
  team.each([&](int lane) {
    const int along = lane & ((1 << d.lane_bits) - 1), groups = Team::lanes() >> d.lane_bits;
    const auto part_of = [=](int unit) {
      const int begin = (unit & ((1 << d.piece_bits) - 1)) * length;
      return row_part{begin, along, begin + length, 1 << d.lane_bits};
    };
    DWELL_ROLLED
    for (int unit = first + (lane >> d.lane_bits); unit < last; unit += 2 * groups) {
      const int other = unit + groups;
      const auto of_unit = of_row(lane, unit >> d.piece_bits);
      if (other < last)
        take_both<Each>(part_of(unit), of_unit, part_of(other),
                        of_row(lane, other >> d.piece_bits));
      else
        part_of(unit).template take<Each>(of_unit);
    }
  });
}

/// Likewise, where of_row(lane, row) gives the one row_job of a row.
template <int Together, bool Halves, class Team, class F>
DWELL_FN void over_rows(Team& team, bool alone, const row_deal& d, int rows, F&& of_row) {
  if constexpr (Together >= 4) {
    if (Together / 2 << d.lane_bits >= (Halves ? d.piece : 2 * d.piece))
      return over_two_rows<Together / 2, Halves>(team, alone, d, rows, of_row);
  }
  each_row<Halves, false>(team, alone, d, rows, [&](int lane, int row, const row_part& part) {
    part.template take<Together>(of_row(lane, row));
  });
}

}  // namespace dwell::grids
