// SPDX-License-Identifier: MIT
// The grid of shares that a field is cut into, and who has which: a team one, or in two dimensions
// each of its warps one, in waves (perks_wave.hpp) and in warps' rows (resident_rows.hpp).
#pragma once
#include <cstdint>

#include "dwell/execution/core/sweep_plan.hpp"
#include "dwell/formats/fn.hpp"

namespace dwell {

/// Where a share lies in the grid of shares, perhaps beyond it.
struct share_place {
  int x, y, z;
};
DWELL_FN share_place place_of_team(const sweep_plan& p, int worker) {
  const int row = worker / p.shares_x;
  return {worker % p.shares_x, row % p.shares_y, row / p.shares_y};
}

/// The part of `cells` that begins with cell cut(cells, part, parts), and the one that has `cell`.
DWELL_FN int cut(int cells, int part, int parts) {
  return static_cast<int>(static_cast<std::int64_t>(cells) * part / parts);
}
DWELL_FN int part_with(int cell, int cells, int parts) {
  return static_cast<int>(((static_cast<std::int64_t>(cell) + 1) * parts - 1) / cells);
}

/// The grid of warps' shares in a wave: columns of them, of which the first and the last one are
/// cut into shares of their own number. Where cells of a border keep their values a warp is slower,
/// and has fewer rows. Shares are numbered down the columns.
struct warp_grid {
  int columns, inner, sides;  ///< shares in a column

  explicit DWELL_HD warp_grid(const sweep_plan& p)
      : columns(p.shares_x), inner(p.shares_y), sides(p.side_shares_y) {}
  DWELL_HD int in_column(int x) const { return x == 0 || x == columns - 1 ? sides : inner; }
  DWELL_HD int number(int x, int y) const { return x == 0 ? y : sides + (x - 1) * inner + y; }
  DWELL_HD int all() const { return number(columns - 1, in_column(columns - 1)); }
};

/// Shares of warps are dealt to the teams in turn, those at the border first, so that every team
/// has as many of them.
DWELL_FN share_place place_of_warp(const sweep_plan& p, int worker, int warp) {
  const warp_grid g(p);
  int k = warp * p.teams + worker;
  if (k >= g.all()) return {0, 0, 1};
  if (k < g.columns) return {k, 0, 0};  // the first of every column,
  k -= g.columns;
  if (k < g.columns && g.inner > 1) return {k, g.in_column(k) - 1, 0};  // the last,
  k -= g.columns;
  const int side = g.sides - 2, inner = g.columns - 2;  // and the others, those of both sides first
  if (k < side) return {0, 1 + k, 0};
  k -= side;
  if (k < side && g.columns > 1) return {g.columns - 1, 1 + k, 0};
  k -= side;
  return {1 + k % inner, 1 + k / inner, 0};
}

/// The same of shares that all columns have as many of (resident_rows.hpp).
DWELL_FN share_place place_of_row_share(const sweep_plan& p, int worker, int warp) {
  const int k = warp * p.teams + worker;
  if (k >= p.shares_x * p.shares_y) return {0, 0, 1};
  return {k % p.shares_x, k / p.shares_x, 0};
}

}  // namespace dwell
