// SPDX-License-Identifier: MIT
// The plans of engine column3d.
#include "dwell/execution/stencil/engines/column3d/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/plan/layers.hpp"
#include "dwell/execution/stencil/plan/stencil_rates.hpp"

namespace dwell {
namespace {

/// Planes of a tile with cells of a border take longer.
constexpr double at_border = 1.5;

double unit_of(const overlapping_tiles& tiles, int tile) {
  return tiles.place(tile).at_border ? at_border : 1.0;
}

/// Fills runs one after the other up to a given cost. False: there are too few teams.
bool fill(const overlapping_tiles& tiles, int nz, int halo, int teams, double most,
          pass_runs& out) {
  const std::int64_t end = std::int64_t{tiles.count()} * nz;
  int team = 0;
  double left = most;
  for (std::int64_t at = 0; at < end;) {
    const int tile = static_cast<int>(at / nz), first = static_cast<int>(at % nz);
    const double unit = unit_of(tiles, tile);
    const int room = static_cast<int>(std::min(left / unit - 2 * halo, double(nz - first)));
    if (room < std::min(nz - first, 1 + 2 * halo) && left < most) {  // not worth its halo
      if (++team == teams) return false;
      out.cut[team] = static_cast<int>(at);
      left = most;
      continue;
    }
    if (room < 1) return false;
    at += room;
    left -= (room + 2 * halo) * unit;
  }
  for (int t = team + 1; t <= teams; ++t) out.cut[t] = static_cast<int>(end);
  return true;
}

/// Cells of all lanes, in a plane.
double plane_cells(const column_config& c) { return 32.0 * c.across * perks_warps * c.down; }

/// A plane takes a multiprocessor parts of the cycles of its multiply-adds and of its way from and
/// to memory, one after the other: two warps on a scheduler hide some of either. And the barrier of
/// the team, which is longer where sums end with neighbours. Fitted to runs of five shapes on an
/// H100 (docs/results/temporal-h100.md), within 12 %.
stencil_projection time(const column_config& c, const stencil_plan& p, const layout_problem& of,
                        double planes) {
  const stencil_rates& on = of.rates;
  const double cells = plane_cells(c), radius = of.stencil.radius;
  const double rows = c.down + (of.stencil.star ? 0 : 2 * radius);
  stencil_projection t;
  t.arithmetic = planes * cells * on.per_cell;
  const double exchanged = 2 * radius * (rows / c.down + 2.0 * c.across / c.down) / c.across;
  t.shared = planes * cells * (exchanged + 2.0 / c.steps) * on.bytes / on.shared;
  t.memory = planes * (cells + double(p.tile_x) * p.tile_y) * on.bytes / on.memory / p.depth;
  t.exchange = 6000.0 / p.depth;  // a launch
  // Every lane loads the source of its own cells from L2.
  if (of.stencil.source) t.l2 = planes * cells * on.source / on.l2;
  const double barrier = of.stencil.star ? 150 : 350;
  // What a tile owns comes and goes through memory whatever L2 has of its halo.
  const double least = planes * 2.0 * p.tile_x * p.tile_y * on.bytes / on.memory / p.depth;
  t.seconds =
      t.l2 + t.exchange + std::max(0.66 * t.arithmetic + 0.54 * t.memory + planes * barrier, least);
  return on.in_seconds(t);
}

}  // namespace

std::optional<pass_runs> column_runs(const overlapping_tiles& tiles, int nz, int halo, int teams,
                                     double& most) {
  if (std::int64_t{tiles.count()} * nz > INT32_MAX) return std::nullopt;
  teams = std::min(teams, pass_runs::most_teams);
  double low = 1 + 2 * halo, high = at_border * (nz + 2.0 * halo) * (tiles.count() / teams + 1.0);
  pass_runs best, tried;
  while (!fill(tiles, nz, halo, teams, high, best)) high *= 2;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    if (fill(tiles, nz, halo, teams, middle, tried)) {
      high = middle;
      best = tried;
    } else {
      low = middle;
    }
  }
  most = high;
  return best;
}

pass_runs column_pass_of(const column_config& c, int radius, const extents& size, boundary edge,
                         int pitch, const stencil_plan& p) {
  double most = 0;
  const auto runs =
      column_runs(tiles_of(c, radius, size, edge, pitch), size.z, c.steps * radius, p.teams, most);
  if (!runs) throw unsupported_error("planes of all tiles cannot be numbered");
  return *runs;
}

engine_shape column3d::shape(const config& c) {
  engine_shape s{perks_lanes, 1, c.across, c.down};
  s.temporal = true;
  return s;
}

bool column3d::serves(const config&, const stencil_problem&, const engine_request&) { return true; }

/// Cells beyond a mirror change with every step.
int column3d::most_depth(const config& c, const stencil_problem& problem) {
  return problem.edge == boundary::reflect ? 1 : c.steps;
}

extents column3d::most_of_layer(const config&, const stencil_problem& problem, int) {
  return problem.size;
}

layout_result column3d::lay_out(const config& c, const tiling_request& asked,
                                const layout_problem& on) {
  const stencil_problem& problem = on.stencil;
  const overlapping_tiles tiles =
      tiles_of(c, problem.radius, problem.size, problem.edge, problem.size.x);
  double most = 0;
  const auto runs = column_runs(tiles, problem.size.z, c.steps * problem.radius, asked.teams, most);
  if (!runs) return layout_obstacle::numbers;
  stencil_candidate out;
  stencil_plan& p = out.plan;
  p.depth = asked.depth > 0 ? asked.depth : most_depth(c, problem);
  p.teams = std::min(asked.teams, pass_runs::most_teams);
  p.tile_x = std::min(tiles.x.own(), problem.size.x);
  p.tile_y = std::min(tiles.y.own(), problem.size.y);
  p.tile_z = problem.size.z;
  p.tiles_x = tiles.x.count();
  p.tiles_y = tiles.y.count();
  p.tiles_z = 1;
  out.time = time(c, p, on, most);
  return out;
}

subdomain_facts column3d::subdomains(const config& c, const stencil_plan& p,
                                     const stencil_problem& problem) {
  subdomain_facts s = no_subdomains(problem);
  s.halo = c.steps * problem.radius;
  s.halo_computed = true;
  s.pass_steps = p.depth;
  return s;
}

std::string column3d::describe(const config& c, const stencil_plan& p,
                               const stencil_problem& problem, const std::string&) {
  const overlapping_tiles tiles =
      tiles_of(c, problem.radius, problem.size, problem.edge, problem.size.x);
  const std::int64_t planes = std::int64_t{tiles.count()} * problem.size.z;
  return fmt::format(
      "{} in one pass; {} x {} tiles of {} x {} cells, {} x {} of them a tile's own; {} teams, {} "
      "planes each",
      steps_text(p.depth), tiles.y.count(), tiles.x.count(), tiles.y.width, tiles.x.width,
      tiles.y.own(), tiles.x.own(), p.teams, (planes + p.teams - 1) / p.teams);
}

/// Rows come in whole, and the last one may end beyond the field.
std::size_t column3d::margin(const config& c, const stencil_plan&, const stencil_problem&) {
  return 32 * static_cast<std::size_t>(c.across);
}

}  // namespace dwell
