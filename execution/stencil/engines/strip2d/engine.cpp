// SPDX-License-Identifier: MIT
// The plans of engine strip2d.
#include "dwell/execution/stencil/engines/strip2d/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/plan/layers.hpp"
#include "dwell/execution/stencil/plan/stencil_rates.hpp"

namespace dwell {
namespace {

constexpr int across = perks_across_of(2);

/// A warp makes an iteration for each of its rows and for R more. Warps of one scheduler share its
/// arithmetic units, beside which an iteration takes 110 cycles; a single warp waits for its own
/// results.
stencil_projection time(const strip2d::config& c, const stencil_plan& p, const layout_problem& of) {
  const stencil_rates& on = of.rates;
  const double row = static_cast<double>(perks_lanes) * across;
  const double rows = c.register_rows + p.scratch_rows + p.streamed_rows,
               iterations = rows + on.radius;
  const double busy = 32.0 * p.subdomains_x * p.subdomains_y / p.teams / perks_lanes;
  stencil_projection t;
  t.arithmetic = row * iterations * on.per_cell;
  t.shared = row * (2 * p.scratch_rows + (on.star ? on.radius : 1) * rows) * on.bytes / on.shared;
  t.l2 = row * 4 * on.radius * on.bytes / on.l2;
  t.exchange = 2500;
  const double together = 110 * iterations + (on.star ? 1.15 : 0.93) * busy * t.arithmetic;
  t.seconds = std::max(together, 130 * iterations + 0.75 * t.arithmetic) + t.exchange;
  return on.in_seconds(t);
}

}  // namespace

engine_shape strip2d::shape(const config& c) {
  engine_shape s{perks_lanes, 1, across, 1, c.register_rows};
  s.caches = true;
  s.subdomains_per_team = perks_warps;
  return s;
}

bool strip2d::serves(const config&, const stencil_problem& problem, const engine_request& asked) {
  if (problem.source || !asked.may.registers) return false;
  if (asked.plan.order || !asked.may.scratch) return false;  // no row streams
  return asked.plan.passes != passing::temporal;
}

/// Lanes own all cells of theirs or none, so the last two subdomains of a row may have a piece of
/// cells in common.
layout_result strip2d::lay_out(const config& c, const tiling_request& asked,
                               const layout_problem& on) {
  const stencil_problem& problem = on.stencil;
  const int radius = problem.radius, piece = static_cast<int>(16 / problem.scalar_bytes);
  const cell_box all = cells_of_rows(problem.size, problem.inner, problem.edge);
  const int width = all.x1 - all.x0, height = all.y1 - all.y0;
  if (!asked.may.scratch || width < 1 || problem.size.x % piece != 0 || width % piece != 0 ||
      problem.edge == boundary::reflect)
    return layout_obstacle::subdomains;
  const int lanes = pieces(width, across), twice = lanes * across - width;
  if (pieces(lanes, asked.subdomains_x) > 32 || (twice > 0 && asked.subdomains_x == 1))
    return layout_obstacle::subdomains;
  // The cells beyond either end of a row are all the next subdomain's, and another lane's.
  if (lanes / asked.subdomains_x < 2 ||
      lanes / asked.subdomains_x * across < pieces(radius, piece) * piece + 2 * twice)
    return layout_obstacle::subdomains;
  // The loop over rows in scratch begins R rows after those in registers, and ends R rows and one
  // before those that live in the field.
  const int least = height / asked.subdomains_y;
  if (least < c.register_rows + 2 * radius + c.field_rows + 1) return layout_obstacle::subdomains;
  if (problem.size.cells() > most_numbered_cells) return layout_obstacle::numbers;
  stencil_candidate out = begin_layout(asked);
  const int most = pieces(height, asked.subdomains_y);
  const engine_shape s = shape(c);
  if (!layer_layout(s, on).place(out.plan, most - c.field_rows - c.register_rows, asked) ||
      out.plan.streamed_rows > 0)
    return layout_obstacle::subdomains;
  out.plan.streamed_rows = c.field_rows;
  out.plan.teams = std::min(asked.subdomains_x * asked.subdomains_y, asked.teams);
  out.time = time(c, out.plan, on);
  return out;
}

subdomain_facts strip2d::subdomains(const config&, const stencil_plan& p,
                                    const stencil_problem& problem) {
  subdomain_facts s = subdomains_along(p, problem);
  const cell_box all = cells_of_rows(problem.size, problem.inner, problem.edge);
  s.tile.y = pieces(all.y1 - all.y0, p.subdomains_y);
  s.tile.x = pieces(pieces(all.x1 - all.x0, across), p.subdomains_x) * across;
  s.of_warps = true;
  s.side = p.subdomains_y;
  return s;
}

std::string strip2d::describe(const config& c, const stencil_plan& p, const stencil_problem&,
                              const std::string& scratch) {
  return fmt::format("{} x {} tiles of a warp each, rows: {}", p.subdomains_y, p.subdomains_x,
                     cached_text(p, c.register_rows, scratch));
}

/// Subdomains begin behind the columns of a fixed border.
std::size_t strip2d::margin(const config&, const stencil_plan&, const stencil_problem& problem) {
  const std::size_t line = 128 / problem.scalar_bytes;
  return problem.edge == boundary::fixed ? line - static_cast<std::size_t>(problem.radius) : 0;
}

}  // namespace dwell
