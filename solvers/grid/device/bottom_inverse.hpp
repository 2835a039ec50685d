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
  for (int i = k; i < f.n; ++i) {
    const int first = f.first[i], m = i - first;
    const double* const l = f.l + f.start[i];
    const double* const before = x + first * n;
    double sum[4] = {x[i * n], 0, 0, 0};
    int c = 0;
    for (; c + together <= m; c += together) {
      double of_l[together], of_x[together];
      DWELL_UNROLL
      for (int e = 0; e < together; ++e) of_l[e] = l[c + e], of_x[e] = before[(c + e) * n];
      DWELL_UNROLL
      for (int e = 0; e < together; ++e) sum[e % 4] -= of_l[e] * of_x[e];
    }
    for (; c + 4 <= m; c += 4) {
      DWELL_UNROLL
      for (int e = 0; e < 4; ++e) sum[e] -= l[c + e] * before[(c + e) * n];
    }
    for (; c < m; ++c) sum[0] -= l[c] * before[c * n];
    x[i * n] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * l[m];
  }
  for (int i = f.n; i-- > k;) {
    const int first = f.first[i], m = i - first;
    const double* const l = f.l + f.start[i];
    double* const before = x + first * n;
    const double v = x[i * n] * l[m];
    x[i * n] = v;
    int c = first < k ? k - first : 0;
    for (; c + together <= m; c += together) {
      double old[together];
      DWELL_UNROLL
      for (int e = 0; e < together; ++e) old[e] = before[(c + e) * n];
      DWELL_UNROLL
      for (int e = 0; e < together; ++e) before[(c + e) * n] = old[e] - l[c + e] * v;
    }
    for (; c < m; ++c) before[c * n] -= l[c] * v;
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
