// SPDX-License-Identifier: MIT
// The inverse of the bottom's matrix, of its factor, as lanes compute it: a column each, with the
// values of profile_factor::inverse().
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/setup_args.hpp"

namespace dwell::grids {

/// Column k of the inverse, from its diagonal down, and row k.
DWELL_FN void invert_column(const made_factor& f, int k) {
  constexpr int together = 16;  // loads under way, a multiple of the four sums
  const long long n = f.n;
  double* const x = f.work + k;  // unknown i at i * n, so that lanes have neighbours
  in_memory(f.work, f.l, f.first, f.start, f.place, f.inverse);
  for (int i = 0; i < f.n; ++i) x[i * n] = i == k ? 1 : 0;
  // Elements that are not there have a place of one that is, and the weight 0: in a loop of its own
  // each of the last ones would be waited for.
  for (int i = k; i < f.n; ++i) {
    const int first = f.first[i], m = i - first, by_fours = m / 4 * 4;
    const double* const l = f.l + f.start[i];
    const double* const before = x + first * n;
    const double pivot = l[m];
    double sum[4] = {x[i * n], 0, 0, 0}, last[3];
    DWELL_UNROLL
    for (int e = 0; e < 3; ++e) {
      const bool there = by_fours + e < m;
      const int c = there ? by_fours + e : 0;
      const double product = l[c] * before[c * n];
      last[e] = there ? product : 0;
    }
    for (int begin = 0; begin < by_fours; begin += together) {
      double of_l[together], of_x[together];
      DWELL_UNROLL
      for (int e = 0; e < together; ++e) {
        const int c = begin + e < by_fours ? begin + e : 0;
        of_l[e] = l[c], of_x[e] = before[c * n];
      }
      DWELL_UNROLL
      for (int e = 0; e < together; ++e) {
        const double product = of_l[e] * of_x[e];
        sum[e % 4] -= begin + e < by_fours ? product : 0;
      }
    }
    DWELL_UNROLL
    for (int e = 0; e < 3; ++e) sum[0] -= last[e];
    x[i * n] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * pivot;
  }
  for (int i = f.n; i-- > k;) {
    const int first = f.first[i], m = i - first;
    const double* const l = f.l + f.start[i];
    double* const before = x + first * n;
    const double v = x[i * n] * l[m];
    x[i * n] = v;
    for (int begin = first < k ? k - first : 0; begin < m; begin += together) {
      double now[together];
      DWELL_UNROLL
      for (int e = 0; e < together; ++e) {
        const int c = begin + e < m ? begin + e : begin;
        now[e] = before[c * n] - l[c] * v;
      }
      DWELL_UNROLL
      for (int e = 0; e < together; ++e)
        if (begin + e < m) before[(begin + e) * n] = now[e];
    }
  }
  const long long own = f.place[k];
  for (int i = k; i < f.n; ++i) {
    const double v = x[i * n];
    f.inverse[own * n + f.place[i]] = v;
    f.inverse[f.place[i] * n + own] = v;
  }
}

/// All columns: 32 neighbours each for a team, since a column is a chain of dependent steps, and
/// more of them on a multiprocessor would wait for each other.
template <class Team>
DWELL_FN void invert_bottom(Team& team, const made_factor& f) {
  constexpr int columns = 32;
  team.each([&](int lane) {
    if (lane >= columns) return;
    for (int k = team.worker() * columns + lane; k < f.n; k += team.workers() * columns)
      invert_column(f, k);
  });
}

}  // namespace dwell::grids
