// SPDX-License-Identifier: MIT
// Loops of all teams over the cells of the finest level, and sums over them, in which teams meet.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/device/sums.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/over_rows.hpp"

namespace dwell::grids {

template <class T, class Team>
class finest_loops {
 protected:
  DWELL_FN finest_loops(Team& team, const grid_solve_args<T>& a) : t_(team), a_(a) {}

  /// put(place, get(place)) for all cells, in halved rows.
  template <class Get, class Put>
  DWELL_FN void each(Get&& get, Put&& put) {
    const int nx = a_.a.n[2];
    over_rows<4, false>(t_, false, a_.a.deal, a_.a.rows(), [&](int, int row) {
      const long long at = static_cast<long long>(row) * nx;
      return job(
          nx, [=, &get](int i) { return get(at + i); },
          [=, &put](int i, const auto& v) { put(at + i, v); });
    });
  }
  /// N sums over all cells, after which all teams have met: rows(sums of each lane) adds to them.
  template <int N, class Rows>
  DWELL_FN sums<N> reduced(Rows&& rows) {
    auto mine = t_.template per_lane<sums<N>>();
    t_.each([&](int lane) {
      for (int k = 0; k < N; ++k) mine[lane].v[k] = 0;
    });
    rows(mine);
    // Two groups of slots in turn: who writes to one again has met those who read it.
    slot_ = slot_ == 0 ? 4 : 0;
    t_.template give<N>(slot_, mine);
    t_.sync_grid();
    double none = 0;
    return t_.template total<N, false>(slot_, 0, none);
  }
  /// The sum of of(element) over all cells.
  template <class F>
  DWELL_FN double sum(F&& of, const T* v) {
    const int nx = a_.a.n[2];
    return reduced<1>([&](auto& mine) {
             over_rows<4, false>(t_, false, a_.a.deal, a_.a.rows(), [&](int lane, int row) {
               const T* const cells = v + static_cast<long long>(row) * nx;
               in_memory(cells);
               return job(
                   nx, [=](int i) { return cells[i]; },
                   [=, &mine, &of](int, T e) { mine[lane].v[0] += of(e); });
             });
           })
        .v[0];
  }

  Team& t_;
  const grid_solve_args<T>& a_;

 private:
  int slot_ = 0;
};

}  // namespace dwell::grids
