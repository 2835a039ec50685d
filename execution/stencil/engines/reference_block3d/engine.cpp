// SPDX-License-Identifier: MIT
// The plans of engine reference_block3d.
#include "dwell/execution/stencil/engines/reference_block3d/engine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/plan/layers.hpp"
#include "dwell/execution/stencil/plan/stencil_rates.hpp"

namespace dwell {
namespace {

constexpr int across = perks_across_of(3), down = perks_down_of(3);

/// Every plane is published to all lanes, and 2.5 times read by them; they meet once per plane, and
/// that takes the time: of 2048 cells 1350 cycles, 1550 for boxes.
stencil_projection time(const reference_block3d::config& c, const stencil_plan& p,
                        const layout_problem& of, double faces) {
  const stencil_rates& on = of.rates;
  const double layer = static_cast<double>(perks_lanes) * across * down;
  const double planes = c.register_planes + p.scratch_rows + p.streamed_rows;
  const double streamed = 2 * on.bytes * layer * p.streamed_rows;
  const double source = on.source * layer * planes;
  const bool beyond_l2 = (streamed / 2 + source) * p.teams > l2_holds * on.l2_bytes;
  stencil_projection t;
  t.arithmetic = layer * planes * on.per_cell / (on.linear ? 0.6 : on.divided);
  t.shared = layer * (planes * 2.5 + p.scratch_rows * 2) * on.bytes / on.shared;
  t.l2 = (streamed + source) / on.l2;
  t.memory = beyond_l2 ? (streamed + source) / on.memory * p.teams / on.units : 0;
  t.exchange = (on.star ? 3000 : 5000) + faces * 3 * on.bytes / on.l2;
  const double barriers = (on.star ? 1350 : 1550) * layer / 2048 * planes;
  t.seconds =
      std::max({t.arithmetic, t.shared, barriers}) + (streamed + source) / on.memory + t.exchange;
  return on.in_seconds(t);
}

}  // namespace

engine_shape reference_block3d::shape(const config& c) {
  engine_shape s{perks_lanes, 1, across, down, c.register_planes};
  s.caches = true;
  s.partly = c.register_planes > 0;
  return s;
}

bool reference_block3d::serves(const config& c, const stencil_problem&,
                               const engine_request& asked) {
  if (c.register_planes > 0 && !asked.may.registers) return false;
  if (asked.plan.order.value_or(traversal::fixed) != traversal::fixed) return false;
  return asked.plan.passes != passing::temporal;
}

extents reference_block3d::most_of_layer(const config&, const stencil_problem&, int) {
  return extents(1, perks_warps * down, 32 * across);
}

layout_result reference_block3d::lay_out(const config& c, const tiling_request& asked,
                                         const layout_problem& on) {
  const stencil_problem& problem = on.stencil;
  const extents& n = problem.size;
  const int radius = problem.radius;
  if (too_thin(n.z, asked.subdomains_z, radius) || too_thin(n.y, asked.subdomains_y, radius) ||
      too_thin(n.x, asked.subdomains_x, radius))
    return layout_obstacle::subdomains;
  const int width = pieces(n.x, asked.subdomains_x), height = pieces(n.y, asked.subdomains_y);
  const int planes = pieces(n.z, asked.subdomains_z);
  if (width > 32 * across || height > perks_warps * down) return layout_obstacle::subdomains;
  // The planes below those in registers enter the window without a test.
  if (c.register_planes > 0 && n.z / asked.subdomains_z < c.register_planes + radius)
    return layout_obstacle::subdomains;
  stencil_candidate out = begin_layout(asked);
  const engine_shape s = shape(c);
  if (!layer_layout(s, on, fetch_ahead<3>)
           .place_in_order(out.plan, planes - c.register_planes, asked))
    return layout_obstacle::scratch;
  const double faces = 2.0 * radius *
                       (static_cast<double>(width) * height + static_cast<double>(width) * planes +
                        static_cast<double>(height) * planes);
  out.time = time(c, out.plan, on, faces);
  return out;
}

subdomain_facts reference_block3d::subdomains(const config&, const stencil_plan& p,
                                              const stencil_problem& problem) {
  subdomain_facts s = subdomains_along(p, problem);
  if (p.streamed_rows > 0) s.order = to_string(p.order);
  return s;
}

std::string reference_block3d::describe(const config& c, const stencil_plan& p,
                                        const stencil_problem& problem,
                                        const std::string& scratch) {
  const std::string order = subdomains(c, p, problem).order;
  return fmt::format("{} x {} x {} blocks, planes: {}{}", p.subdomains_z, p.subdomains_y,
                     p.subdomains_x, cached_text(p, c.register_planes, scratch),
                     order.empty() ? "" : ", " + order);
}

std::size_t reference_block3d::streamed_values(const config&, const stencil_plan& p) {
  return static_cast<std::size_t>(p.teams) * static_cast<std::size_t>(p.streamed_rows) *
         static_cast<std::size_t>(perks_lanes * across * down);
}

}  // namespace dwell
