// SPDX-License-Identifier: MIT
// The plans of engine multi_queue.
#include "studies/ebisu/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/plan/layers.hpp"
#include "dwell/execution/stencil/plan/stencil_rates.hpp"

namespace dwell {
namespace {

queue_variant variant_of(const queue_config& c) {
  return queue_variants[static_cast<std::size_t>(c.variant)];
}

/// The grid of teams whose device tiles are the fewest.
void arrange_teams(const queue_tile& t, const stencil_problem& problem, int teams,
                   stencil_plan& p) {
  int fewest = 0;
  for (int x = 1; x <= teams; ++x) {
    const int y = teams / x;
    if (t.width * x <= 2 * t.halo || t.height * y <= 2 * t.halo) continue;
    const int tiles = queue_tiles(t, problem.size, problem.edge, problem.size.x, x, y).count();
    if (fewest > 0 && tiles >= fewest) continue;
    fewest = tiles;
    p.subdomains_x = x;
    p.subdomains_y = y;
    p.subdomains_z = 1;
  }
  p.teams = p.subdomains_x * p.subdomains_y;
}

/// The largest of EBISU's three times (equation 5.5), and meetings of the team, which all take as
/// long (equation 5.11); `layers`: of the team that has most.
stencil_projection time(const queue_config& c, const layout_problem& of, double layers, int depth) {
  const queue_variant v = variant_of(c);
  const stencil_rates& on = of.rates;
  const queue_tile t = tile_of(c, of.stencil.size.dims, of.stencil.radius);
  const double cells = t.width * t.height, taps = on.taps;
  const double accesses = v.registers ? taps - 2.0 * on.radius : taps + 1;
  constexpr double meeting = 60, others = 1500;
  stencil_projection time;
  time.arithmetic = layers * cells * c.steps * on.per_cell / depth;
  time.shared = layers * cells * c.steps * accesses * on.bytes / on.shared / depth;
  time.memory = layers * 2 * cells * on.bytes / on.memory / depth;
  time.exchange = layers * (v.device ? others : v.lazy ? meeting : 2 * c.steps * meeting) / depth;
  time.seconds = std::max({time.arithmetic, time.shared, time.memory}) + time.exchange;
  return on.in_seconds(time);
}

}  // namespace

pass_runs queue_runs(const queue_config& c, int radius, const extents& size, boundary edge,
                     int pitch, const stencil_plan& p) {
  if (variant_of(c).device) return {};
  const queue_tile t = tile_of(c, size.dims, radius);
  double most = 0;
  const auto runs = column_runs(queue_tiles(t, size, edge, pitch, 1, 1),
                                size.dims == 3 ? size.z : size.y, t.halo, p.teams, most);
  if (!runs) throw unsupported_error("layers of all tiles cannot be numbered");
  return *runs;
}

engine_shape multi_queue::shape(const config& c) {
  engine_shape s{perks_lanes, 1, 1, c.cells};
  s.temporal = true;
  return s;
}

bool multi_queue::serves(const config& c, const stencil_problem&, const engine_request& asked) {
  return asked.plan.engine == variant_of(c).engine;
}

/// Cells beyond a mirror change with every step.
int multi_queue::most_depth(const config& c, const stencil_problem& problem) {
  return problem.edge == boundary::reflect ? 1 : c.steps;
}

extents multi_queue::most_of_layer(const config&, const stencil_problem& problem, int) {
  return problem.size;
}

layout_result multi_queue::lay_out(const config& c, const tiling_request& asked,
                                   const layout_problem& on) {
  const stencil_problem& problem = on.stencil;
  const int dims = problem.size.dims, layers = dims == 3 ? problem.size.z : problem.size.y;
  const queue_tile t = tile_of(c, dims, problem.radius);
  if (problem.size.cells() > most_numbered_cells) return layout_obstacle::numbers;
  stencil_candidate out;
  stencil_plan& p = out.plan;
  p.depth = asked.depth > 0 ? asked.depth : most_depth(c, problem);
  p.teams = std::min(asked.teams, pass_runs::most_teams);
  double most = layers + 2 * t.halo;
  if (t.device) {
    arrange_teams(t, problem, p.teams, p);
    if (p.subdomains_x == 0) return layout_obstacle::subdomains;
  }
  const overlapping_tiles tiles =
      queue_tiles(t, problem.size, problem.edge, problem.size.x, std::max(1, p.subdomains_x),
                  std::max(1, p.subdomains_y));
  if (t.device)
    most *= tiles.count();
  else if (!column_runs(tiles, layers, t.halo, p.teams, most))
    return layout_obstacle::numbers;
  p.tile_x = std::min(tiles.x.own(), problem.size.x);
  p.tile_y = dims == 3 ? std::min(tiles.y.own(), problem.size.y) : problem.size.y;
  p.tile_z = problem.size.z;
  p.tiles_x = tiles.x.count();
  p.tiles_y = tiles.y.count();
  p.tiles_z = 1;
  out.time = time(c, on, most, p.depth);
  return out;
}

subdomain_facts multi_queue::subdomains(const config& c, const stencil_plan& p,
                                        const stencil_problem& problem) {
  subdomain_facts s = no_subdomains(problem);
  s.halo = c.steps * problem.radius;
  s.halo_computed = true;
  s.pass_steps = p.depth;
  if (variant_of(c).device) {
    s.along.x = p.subdomains_x;
    s.along.y = p.subdomains_y;
    s.along.z = 1;
  }
  return s;
}

std::string multi_queue::describe(const config& c, const stencil_plan& p,
                                  const stencil_problem& problem, const std::string&) {
  const queue_variant v = variant_of(c);
  const queue_tile t = tile_of(c, problem.size.dims, problem.radius);
  const overlapping_tiles tiles =
      queue_tiles(t, problem.size, problem.edge, problem.size.x, std::max(1, p.subdomains_x),
                  std::max(1, p.subdomains_y));
  return fmt::format(
      "{} in one pass; {} x {} {}tiles of {} x {} cells, {} x {} of them a tile's own; {} teams, "
      "{} "
      "addresses, {}, {} streaming{}",
      steps_text(p.depth), tiles.y.count(), tiles.x.count(), t.device ? "device " : "",
      tiles.y.width, tiles.x.width, tiles.y.own(), tiles.x.own(), p.teams,
      v.computed ? "computed" : "shifted",
      v.fetch == layer_prefetch::none    ? "no prefetch"
      : v.fetch == layer_prefetch::async ? "cp.async"
                                         : "bulk copies",
      v.lazy ? "lazy" : "eager", v.registers ? " with a lane's own column in registers" : "");
}

/// What teams of a device tile show each other.
std::size_t multi_queue::streamed_values(const config& c, const stencil_plan& p) {
  if (!variant_of(c).device) return 0;
  const int side = std::max(32, perks_warps * c.cells);
  return static_cast<std::size_t>(p.teams) *
         static_cast<std::size_t>(queue_sets * queue_sides * c.steps * side);
}

/// Rows come in whole, and the last one may end beyond the field.
std::size_t multi_queue::margin(const config& c, const stencil_plan&,
                                const stencil_problem& problem) {
  return static_cast<std::size_t>(tile_of(c, problem.size.dims, problem.radius).width);
}

}  // namespace dwell
