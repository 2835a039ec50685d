// SPDX-License-Identifier: MIT
// The plans of engine register_tile2d.
#include "dwell/execution/stencil/engines/register_tile2d/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/plan/layers.hpp"
#include "dwell/execution/stencil/plan/stencil_rates.hpp"

namespace dwell {
namespace {

constexpr int across = perks_across_of(2), width_of_team = 32 * across;

/// Time of a step. used: the part of a tile's width that has cells.
stencil_projection time(const register_tile2d::config& c, const stencil_plan& p,
                        const layout_problem& of, double halo_cells, double used) {
  const stencil_rates& on = of.rates;
  const double row = static_cast<double>(perks_lanes) * across;
  const double rows = c.register_rows + p.scratch_rows + p.streamed_rows;
  const double streamed = 2 * on.bytes * row * used * p.streamed_rows;
  const double source = on.source * row * used * rows;
  const bool beyond_l2 = (streamed / 2 + source) * p.teams > l2_holds * on.l2_bytes;
  stencil_projection t;
  t.arithmetic = row * rows * on.per_cell / (on.linear ? (c.rest ? 0.65 : 0.75) : on.divided);
  t.shared = row * p.scratch_rows * 2 * on.bytes / on.shared;
  t.l2 = (streamed + source) / on.l2;
  t.memory = beyond_l2 ? (streamed + source) / on.memory * p.teams / on.units : 0;
  // Signals and round trips to L2, and for each row that is not in registers its part of the halo,
  // which lanes then store in pieces.
  const double rest = 450.0 * (p.scratch_rows + p.streamed_rows);
  t.exchange = (5000 + rest + halo_cells * (c.rest ? 3 : 2) * on.bytes / on.l2) / p.depth;
  // Start of a step: the rows that warps publish to each other, and the pass through the rows that
  // are not in registers, whose first window is filled separately.
  const double start = c.rest ? 1500 + 400 * on.radius * on.radius : 300;
  t.seconds = start + t.arithmetic + t.shared + std::max(t.l2, t.memory) + t.exchange;
  return on.in_seconds(t);
}

}  // namespace

engine_shape register_tile2d::shape(const config& c) {
  engine_shape s{perks_lanes, 1, across, 1, c.register_rows};
  s.caches = true;
  s.partly = c.rest && c.register_rows > 0;
  s.orders = c.rest;
  return s;
}

bool register_tile2d::serves(const config& c, const stencil_problem& problem,
                             const engine_request& asked) {
  const bool caches = c.register_rows > 0, registers = asked.may.registers;
  if (problem.source && !c.source()) return false;
  if (caches && !registers) return false;
  // A tile may be too low for the rows in registers, and not every config takes a source.
  if (!caches && registers && asked.mixed && !problem.source) return false;
  return asked.plan.passes != passing::temporal;
}

int register_tile2d::most_depth(const config&, const stencil_problem& problem) {
  // Cells beyond a mirror change with every step.
  return problem.edge == boundary::reflect ? 1 : std::numeric_limits<int>::max();
}

extents register_tile2d::most_of_layer(const config&, const stencil_problem& problem, int depth) {
  return extents(1, width_of_team - 2 * depth * problem.radius);
}

/// Between exchanges a team also computes the cells that it took from its eight neighbours.
layout_result register_tile2d::lay_out(const config& c, const tiling_request& asked,
                                       const layout_problem& on) {
  const stencil_problem& problem = on.stencil;
  const int radius = problem.radius, halo = asked.depth * radius;
  const int nx = problem.size.x, ny = problem.size.y;
  if (too_thin(nx, asked.subdomains_x, halo) || too_thin(ny, asked.subdomains_y, halo))
    return layout_obstacle::subdomains;
  const int width = pieces(nx, asked.subdomains_x) + 2 * halo;
  const int height = pieces(ny, asked.subdomains_y) + 2 * halo;
  if (width > width_of_team) return layout_obstacle::subdomains;
  int rest = std::max(0, pieces(height, perks_warps) - c.register_rows);
  if (!c.rest && rest > 0) return layout_obstacle::subdomains;
  // The window needs that many.
  if (rest > 0 || c.register_rows == 0) rest = std::max(rest, radius);
  // Fixed cells of rows in scratch have their values saved beside them.
  const auto aside = static_cast<std::size_t>(perks_warps * 2 * radius) * problem.scalar_bytes;
  const engine_shape s = shape(c);
  const layer_layout layers(s, on, c.rest ? fetch_ahead<2> : 0, aside);
  stencil_candidate out = begin_layout(asked);
  if (!layers.place_in_order(out.plan, rest, asked)) return layout_obstacle::scratch;
  const double halo_cells = 2.0 * halo * (width + height);
  out.time = time(c, out.plan, on, halo_cells, static_cast<double>(width) / width_of_team);
  return out;
}

subdomain_facts register_tile2d::subdomains(const config&, const stencil_plan& p,
                                            const stencil_problem& problem) {
  subdomain_facts s = subdomains_along(p, problem);
  s.halo_computed = true;
  if (p.streamed_rows > 0) s.order = to_string(p.order);
  return s;
}

std::string register_tile2d::describe(const config& c, const stencil_plan& p,
                                      const stencil_problem& problem, const std::string& scratch) {
  const std::string order = subdomains(c, p, problem).order;
  return fmt::format("{} x {} tiles, rows per warp: {}{}; {} between exchanges", p.subdomains_y,
                     p.subdomains_x, cached_text(p, c.register_rows, scratch),
                     order.empty() ? "" : ", " + order, steps_text(p.depth));
}

std::size_t register_tile2d::streamed_values(const config&, const stencil_plan& p) {
  return static_cast<std::size_t>(p.teams) * static_cast<std::size_t>(p.streamed_rows) *
         static_cast<std::size_t>(perks_lanes * across);
}

}  // namespace dwell
