// SPDX-License-Identifier: MIT
// The plans of engine block3d.
#include "dwell/execution/stencil/engines/block3d/engine.hpp"

#include <fmt/format.h>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/plan/layers.hpp"
#include "dwell/execution/stencil/plan/stencil_rates.hpp"

namespace dwell {
namespace {

constexpr int across = perks_across_of(3), down = perks_down_of(3);

/// Time of a block of so many cells across and down. All lanes go through its planes and R planes
/// above and below it, whether they have cells of the block or not.
stencil_projection time(const block3d::config& c, const stencil_plan& p, const layout_problem& of,
                        int width, int height) {
  const stencil_rates& on = of.rates;
  const double layer = static_cast<double>(perks_lanes) * across * down, cells = width * height;
  const double planes = c.register_planes + p.scratch_rows, iterations = planes + 2 * on.radius;
  stencil_projection t;
  t.arithmetic = layer * iterations * on.per_cell;
  t.shared = layer * planes * 4 * on.bytes / on.shared;
  t.exchange = 3000 + 270 * iterations * cells / layer;
  t.seconds = 0.8 * t.arithmetic + (180 + 130 * on.radius) * iterations + t.exchange;
  return on.in_seconds(t);
}

}  // namespace

engine_shape block3d::shape(const config& c) {
  engine_shape s{perks_lanes, 1, across, down, c.register_planes};
  s.caches = true;
  return s;
}

bool block3d::serves(const config&, const stencil_problem& problem, const engine_request& asked) {
  return !problem.source && asked.may.registers && asked.plan.passes != passing::temporal;
}

extents block3d::most_of_layer(const config&, const stencil_problem&, int) {
  return extents(1, perks_warps * down, 32 * across);
}

/// Lanes have whole register tiles. Halos come in pieces, which a mirror would turn around. Planes
/// and columns of a fixed border are in no block.
layout_result block3d::lay_out(const config& c, const tiling_request& asked,
                               const layout_problem& on) {
  const stencil_problem& problem = on.stencil;
  const extents& n = problem.size;
  if (n.cells() > most_numbered_cells) return layout_obstacle::numbers;
  if (!asked.may.scratch || n.x % across != 0 || n.y % down != 0 ||
      problem.edge == boundary::reflect)
    return layout_obstacle::subdomains;
  const cell_box all = cells_of_blocks(n, problem.inner, problem.edge);
  const int columns = (all.x1 - all.x0) / across, rows = n.y / down;  // in register tiles
  const int deep = all.z1 - all.z0;
  if (columns / asked.subdomains_x < 1 || rows / asked.subdomains_y < 1)
    return layout_obstacle::subdomains;
  const int width = pieces(columns, asked.subdomains_x), height = pieces(rows, asked.subdomains_y);
  if (width > 32 || height > perks_warps) return layout_obstacle::subdomains;
  // The loop over planes in scratch begins R planes after those in registers, and has an iteration
  // before the last plane's.
  if (deep / asked.subdomains_z < c.register_planes + problem.radius + 2)
    return layout_obstacle::subdomains;
  stencil_candidate out = begin_layout(asked);
  const int planes = pieces(deep, asked.subdomains_z);
  const engine_shape s = shape(c);
  if (!layer_layout(s, on).place(out.plan, planes - c.register_planes, asked) ||
      out.plan.streamed_rows > 0)
    return layout_obstacle::subdomains;
  out.time = time(c, out.plan, on, width * across, height * down);
  return out;
}

/// Whole register tiles, and none of a fixed border's planes.
subdomain_facts block3d::subdomains(const config&, const stencil_plan& p,
                                    const stencil_problem& problem) {
  subdomain_facts s = subdomains_along(p, problem);
  const cell_box all = cells_of_blocks(problem.size, problem.inner, problem.edge);
  s.tile.z = pieces(all.z1 - all.z0, p.subdomains_z);
  s.tile.y = pieces((all.y1 - all.y0) / down, p.subdomains_y) * down;
  s.tile.x = pieces((all.x1 - all.x0) / across, p.subdomains_x) * across;
  return s;
}

std::string block3d::describe(const config& c, const stencil_plan& p, const stencil_problem&,
                              const std::string& scratch) {
  return fmt::format("{} x {} x {} blocks, planes: {}", p.subdomains_z, p.subdomains_y,
                     p.subdomains_x, cached_text(p, c.register_planes, scratch));
}

/// Columns that two blocks exchange, on either side of their border, share lines. Blocks begin
/// behind columns of a fixed border.
std::size_t block3d::margin(const config&, const stencil_plan&, const stencil_problem& problem) {
  const std::size_t line = 128 / problem.scalar_bytes;
  return line / 2 +
         (problem.edge == boundary::fixed ? line - static_cast<std::size_t>(problem.radius) : 0);
}

}  // namespace dwell
