// SPDX-License-Identifier: MIT
// The plans of engine stream2d.
#include "dwell/execution/stencil/engines/stream2d/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/engines/streams/layout.hpp"
#include "dwell/execution/stencil/plan/layers.hpp"
#include "dwell/execution/stencil/plan/stencil_rates.hpp"

namespace dwell {
namespace {

/// Factors of a warp: how much longer an iteration takes where columns of a fixed border keep their
/// values,
constexpr double beside_border = 1.11;
/// and how much shorter a pass of its subdomain may be than others': less than that was no faster.
constexpr double most_beside_border = 1.2;

/// Time of a step: every warp makes an iteration for each of its own rows and each row of the halo;
/// in the first ones the later time steps rest. Beside its arithmetic an iteration takes about 470
/// cycles (130 with one time step), and at a fixed border longer, for fewer rows. One time step
/// alone hides only two thirds of its waits for L2, and half of its waits for memory.
stencil_projection time(const stream_config& c, const stencil_plan& p, const layout_problem& of,
                        double used) {
  const stencil_problem& problem = of.stencil;
  const stencil_rates& on = of.rates;
  const double row = static_cast<double>(perks_lanes) * c.across;
  // Subdomains differ by a row, and warps wait for those around them, so that the mean counts.
  const double ny = problem.size.y, rows = ny / p.subdomains_y, halo = p.depth * problem.radius;
  const double iterations = rows + c.depth * problem.radius, depth = p.depth;
  const double streamed = 2 * on.bytes * row * used * std::max(0.0, rows - p.scratch_rows);
  const double halos = 3 * on.bytes * row * 2 * halo;
  const double source = on.source * row * iterations * depth;
  const bool beyond_l2 = (streamed / 2 + source / depth) * p.teams > l2_holds * on.l2_bytes;
  stencil_projection t;
  t.arithmetic = row * iterations * c.depth * on.per_cell / depth;
  t.shared = row * (rows + 2 * halo) * 3 * on.bytes / on.shared / depth;
  t.l2 = (streamed + halos + source) / on.l2 / depth;
  t.memory = beyond_l2 ? (streamed + source) / on.memory * p.teams / on.units / depth : 0;
  t.exchange = 10000 / depth;
  const double side = ny / p.side_subdomains_y + 2 * halo;
  const bool fixed = problem.edge == boundary::fixed;
  const double slowest = fixed ? std::max(1.0, beside_border * side / (rows + 2 * halo)) : 1.0;
  // Rows that are not whole pieces have a path with branches, of more loads.
  const double slower = problem.size.x % c.across == 0 ? 1.0 : on.star ? 2.1 : 1.5;
  const double work =
      (t.arithmetic + (c.depth > 1 ? 470 : 130) * iterations / depth) * slowest * slower;
  double waits = 0;
  if (c.depth == 1) waits = std::max(0.35 * std::min(work, t.l2), 0.55 * std::min(work, t.memory));
  t.seconds = std::max({work, t.l2, t.memory}) + waits + t.exchange;
  return on.in_seconds(t);
}

/// How many subdomains the first and the last column of warps' subdomains are cut into: more than
/// others, since iterations beside a fixed border take longer, while there are warps left.
int side_subdomains(const tiling_request& asked, const stencil_problem& problem) {
  const int ny = problem.size.y, halo = asked.depth * problem.radius, inner = asked.subdomains_y;
  if (problem.edge != boundary::fixed || asked.subdomains_x < 2 || inner < 2) return inner;
  const int left = asked.teams * perks_warps - (asked.subdomains_x - 2) * inner;
  const auto iterations = [&](int parts) { return static_cast<double>(ny) / parts + 2 * halo; };
  int n = inner;
  // A warp reads from at most four subdomains of a column.
  const auto possible = [&](int sides) {
    return 2 * sides <= left && ny / sides >= halo &&
           pieces(ny, inner) + 2 * halo - 2 < 3 * (ny / sides);
  };
  while (most_beside_border * iterations(n + 1) > iterations(inner) && possible(n + 1)) ++n;
  return n;
}

}  // namespace

engine_shape stream2d::shape(const config& c) {
  engine_shape s = stream_shape(c);
  s.subdomains_per_team = perks_warps;
  return s;
}

bool stream2d::serves(const config&, const stencil_problem&, const engine_request& asked) {
  return stream_serves(asked);
}

int stream2d::most_depth(const config& c, const stencil_problem& problem) {
  return stream_most_depth(c, problem);
}

/// The warps of a team may lie side by side.
extents stream2d::most_of_layer(const config& c, const stencil_problem& problem, int depth) {
  return extents(1, most_of_row(c, problem, depth) * perks_warps);
}

/// A pass also goes through the rows of the halo, which are not cached.
layout_result stream2d::lay_out(const config& c, const tiling_request& asked,
                                const layout_problem& on) {
  const stencil_problem& problem = on.stencil;
  const int rows = problem.size.y, parts = asked.subdomains_y, halo = asked.depth * problem.radius;
  if (too_thin(rows, parts, halo)) return layout_obstacle::subdomains;
  const double used = part_of_row(c, asked, problem);
  if (used == 0) return layout_obstacle::subdomains;
  stencil_candidate out = begin_layout(asked);
  stencil_plan& p = out.plan;
  const int own = pieces(rows, parts);
  const engine_shape s = shape(c);
  if (!layer_layout(s, on).place(p, own, asked)) return layout_obstacle::scratch;
  if (problem.size.cells() > most_numbered_cells) return layout_obstacle::numbers;
  // Rows that others need live in the field.
  p.scratch_rows = std::clamp(own - 2 * halo, 0, p.scratch_rows);
  p.streamed_rows = own - p.scratch_rows;
  // The values of the rows of a team that stream have numbers of 32 bits, too.
  if (static_cast<std::size_t>(p.streamed_rows) * static_cast<std::size_t>(s.lanes * s.across) >
      most_numbered_cells)
    return layout_obstacle::numbers;
  p.side_subdomains_y = side_subdomains(asked, problem);
  p.teams = std::min((asked.subdomains_x - 2) * asked.subdomains_y + 2 * p.side_subdomains_y,
                     asked.teams);
  out.time = time(c, p, on, used);
  return out;
}

subdomain_facts stream2d::subdomains(const config&, const stencil_plan& p,
                                     const stencil_problem& problem) {
  subdomain_facts s = subdomains_along(p, problem);
  s.of_warps = true;
  s.halo_computed = true;
  s.pass_steps = p.depth;
  return s;
}

std::string stream2d::describe(const config&, const stencil_plan& p, const stencil_problem&,
                               const std::string& scratch) {
  return fmt::format("{} x {} tiles of a warp each, rows: {}; {} in one pass", p.subdomains_y,
                     p.subdomains_x, cached_text(p, 0, scratch), steps_text(p.depth));
}

std::size_t stream2d::streamed_values(const config& c, const stencil_plan& p) {
  return static_cast<std::size_t>(p.teams) * static_cast<std::size_t>(p.streamed_rows) *
         static_cast<std::size_t>(perks_lanes * c.across * c.down);
}

/// Streams read rows from a halo before their subdomain on, and that then begins with a line.
std::size_t stream2d::margin(const config&, const stencil_plan& p, const stencil_problem& problem) {
  return (static_cast<std::size_t>(p.depth) * static_cast<std::size_t>(problem.radius) + 3) / 4 * 4;
}

}  // namespace dwell
