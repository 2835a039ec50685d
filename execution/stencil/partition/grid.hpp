// SPDX-License-Identifier: MIT
// The grid of subdomains that a field is cut into, and who owns which: every team one, or in two
// dimensions each of its warps one, in streams (temporal/stream2d) and in strips (perks/strip2d).
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/execution/stencil/plan/plan.hpp"

namespace dwell {

/// Where a subdomain lies in the grid of subdomains, perhaps beyond it.
struct subdomain_place {
  int x, y, z;
};
DWELL_FN subdomain_place place_of_team(const stencil_plan& p, int worker) {
  const int row = worker / p.subdomains_x;
  return {worker % p.subdomains_x, row % p.subdomains_y, row / p.subdomains_y};
}

/// The part of `cells` that begins with cell cut(cells, part, parts), and the one that has `cell`.
DWELL_FN int cut(int cells, int part, int parts) {
  return static_cast<int>(static_cast<std::int64_t>(cells) * part / parts);
}
DWELL_FN int part_with(int cell, int cells, int parts) {
  return static_cast<int>(((static_cast<std::int64_t>(cell) + 1) * parts - 1) / cells);
}

/// The grid of warps' subdomains in a stream: columns of them; the first and the last column have
/// another number of subdomains than the others, since where cells of a border keep their values a
/// warp is slower, and gets fewer rows. Subdomains are numbered down the columns.
struct warp_grid {
  int columns, inner, sides;  ///< subdomains in a column

  explicit DWELL_HD warp_grid(const stencil_plan& p)
      : columns(p.subdomains_x), inner(p.subdomains_y), sides(p.side_subdomains_y) {}
  DWELL_HD int in_column(int x) const { return x == 0 || x == columns - 1 ? sides : inner; }
  DWELL_HD int number(int x, int y) const { return x == 0 ? y : sides + (x - 1) * inner + y; }
  DWELL_HD int all() const { return number(columns - 1, in_column(columns - 1)); }
};

/// Subdomains of warps are dealt to the teams in turn, those at the border first, so that every
/// team has as many of them.
DWELL_FN subdomain_place place_of_warp(const stencil_plan& p, int worker, int warp) {
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

/// Finds the place where all columns have the same number of subdomains (perks/strip2d).
DWELL_FN subdomain_place place_of_strip(const stencil_plan& p, int worker, int warp) {
  const int k = warp * p.teams + worker;
  if (k >= p.subdomains_x * p.subdomains_y) return {0, 0, 1};
  return {k % p.subdomains_x, k / p.subdomains_x, 0};
}

}  // namespace dwell
