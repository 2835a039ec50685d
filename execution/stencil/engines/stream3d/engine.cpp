// SPDX-License-Identifier: MIT
// The plans of engine stream3d.
#include "dwell/execution/stencil/engines/stream3d/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/engines/streams/layout.hpp"
#include "dwell/execution/stencil/plan/layers.hpp"
#include "dwell/execution/stencil/plan/stencil_rates.hpp"

namespace dwell {
namespace {

/// Time of a step: a team makes an iteration for each of its planes and of the halo's, and one for
/// each time step but the first. Two warps on a scheduler hide little of each other's time: an
/// iteration takes 1500 cycles beside three fifths of its arithmetic's, and the loads of planes
/// that stream are not hidden either, at 41 bytes per cycle of an H200's multiprocessor. Iterations
/// of the halo have code that is in no cache yet, and take one and a half times their arithmetic's.
/// Where cells of a fixed border keep their values the slowest warp counts; rows that are not whole
/// pieces have a path with branches. More than 80 taps' sums do not stay in registers: as 3d125pt
/// on an H100.
stencil_projection time(const stream_config& c, const stencil_plan& p, const layout_problem& of,
                        double used) {
  const stencil_problem& problem = of.stencil;
  const stencil_rates& on = of.rates;
  const double tile = static_cast<double>(perks_lanes) * c.across * c.down, depth = p.depth;
  const double planes = p.scratch_rows + p.streamed_rows, radius = problem.radius;
  const double others = (depth + 1) * radius + (c.depth - 1) * (radius + 1);
  const double streamed = 2 * on.bytes * tile * used * p.streamed_rows;
  const double source = on.source * tile * (planes + others) * depth;
  const bool beyond_l2 = (streamed / 2 + source / depth) * p.teams > l2_holds * on.l2_bytes;
  const double border = problem.edge != boundary::fixed ? 1.0 : 1.15;
  const double slower = problem.size.x % c.across != 0 ? 2.2 : border;
  stencil_projection t;
  t.arithmetic = tile * c.depth * on.per_cell * (0.6 * planes + 1.5 * others) / depth;
  t.l2 = (streamed + source) / on.l2_planes / depth;
  t.memory = beyond_l2 ? (streamed + source) / on.memory * p.teams / on.units / depth : 0;
  t.exchange = 7600 / depth;
  const double work = (t.arithmetic + 1500 * planes / depth + t.l2) * slower;
  const double spills = on.taps <= 80 ? 1 : on.bytes == 8 ? 12 : 1.9;
  t.seconds = std::max(work * spills, t.memory) + t.exchange;
  return on.in_seconds(t);
}

}  // namespace

engine_shape stream3d::shape(const config& c) { return stream_shape(c); }

bool stream3d::serves(const config&, const stencil_problem&, const engine_request& asked) {
  return stream_serves(asked);
}

int stream3d::most_depth(const config& c, const stencil_problem& problem) {
  return stream_most_depth(c, problem);
}

extents stream3d::most_of_layer(const config& c, const stencil_problem& problem, int depth) {
  return extents(1, perks_warps * c.down - 2 * depth * problem.radius,
                 most_of_row(c, problem, depth));
}

/// A pass also goes through the planes of the halo, which are not cached.
layout_result stream3d::lay_out(const config& c, const tiling_request& asked,
                                const layout_problem& on) {
  const stencil_problem& problem = on.stencil;
  const extents& n = problem.size;
  const int halo = asked.depth * problem.radius, down = perks_warps * c.down;
  if (too_thin(n.z, asked.subdomains_z, halo)) return layout_obstacle::subdomains;
  const double across = part_of_row(c, asked, problem);
  const int height = pieces(n.y, asked.subdomains_y);
  if (across == 0 || height + 2 * halo > down || too_thin(n.y, asked.subdomains_y, halo))
    return layout_obstacle::subdomains;
  stencil_candidate out = begin_layout(asked);
  const engine_shape s = shape(c);
  if (!layer_layout(s, on).place(out.plan, pieces(n.z, asked.subdomains_z), asked))
    return layout_obstacle::scratch;
  if (n.cells() > most_numbered_cells) return layout_obstacle::numbers;
  out.time = time(c, out.plan, on, across * height / down);
  return out;
}

subdomain_facts stream3d::subdomains(const config&, const stencil_plan& p,
                                     const stencil_problem& problem) {
  subdomain_facts s = subdomains_along(p, problem);
  s.halo_computed = p.depth > 1;
  s.pass_steps = p.depth;
  return s;
}

std::string stream3d::describe(const config&, const stencil_plan& p, const stencil_problem&,
                               const std::string& scratch) {
  return fmt::format("{} x {} x {} blocks, planes: {}; {} in one pass", p.subdomains_z,
                     p.subdomains_y, p.subdomains_x, cached_text(p, 0, scratch),
                     steps_text(p.depth));
}

}  // namespace dwell
