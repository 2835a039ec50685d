// SPDX-License-Identifier: MIT
// The plans of engine skewed.
#include "dwell/execution/stencil/engines/skewed/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dwell/execution/stencil/plan/layers.hpp"

namespace dwell {
namespace {

/// What a tile keeps in a core's own cache: half of it, and as much as most have where it is not
/// known.
double cache_bytes(const device_facts& device) {
  return device.core_cache > 0 ? 0.5 * static_cast<double>(device.core_cache) : 1 << 20;
}
/// Steps of a pass are not more: the gain is small from there on, and layers that teams leave to
/// the second phase are more.
constexpr int most_reach = 16, most_steps = 64;

/// The axes of a field that are divided.
skewed_division undivided(const extents& size, const cell_box& inner, int radius, boundary edge) {
  const bool fixed = edge == boundary::fixed, ring = edge == boundary::periodic;
  const auto axis = [&](int first, int last, int n) {
    return skewed_axis{fixed ? first : 0, fixed ? last : n, 1, radius, ring};
  };
  const skewed_axis x = axis(inner.x0, inner.x1, size.x), y = axis(inner.y0, inner.y1, size.y);
  if (size.dims == 2) return {y, x};
  return {axis(inner.z0, inner.z1, size.z), y};
}

int cells(const skewed_axis& axis) { return axis.end - axis.begin; }

/// The most parts of an axis for so many steps; an axis may be too short for even one.
int most_parts(const skewed_axis& axis, int steps) {
  if (steps > 1 && axis.ring && cells(axis) < skewed_axis::least(axis.slope, steps)) return 0;
  return std::max(1, cells(axis) / skewed_axis::least(axis.slope, steps));
}

/// Cells of a tile along its axis whose layers fit into the cache for so many steps.
double fitting(const stencil_problem& problem, double cache, int steps) {
  const double layers = (steps + 1.0) * problem.radius + 1;
  const double row = problem.size.dims == 2 ? 1 : problem.size.x;
  return cache / (2.0 * layers * row * static_cast<double>(problem.scalar_bytes)) -
         steps * problem.radius;
}

/// The most steps whose tiles are wider than what they lose in these.
int planned_steps(const stencil_problem& problem, double cache, const skewed_division& d,
                  int teams) {
  const int slabs = std::clamp(most_parts(d.layers, 2), 1, teams);
  int steps = std::max(2, most_reach / (problem.radius * (problem.size.dims - 1)));
  while (steps > 1 && (most_parts(d.layers, steps) < slabs ||
                       fitting(problem, cache, steps) < 2 * problem.radius * steps))
    --steps;
  return steps;
}

}  // namespace

engine_shape skewed::shape(const config& c) {
  engine_shape s{c.lanes, 1};
  s.temporal = true;
  return s;
}

int skewed::most_depth(const config&, const stencil_problem&) { return most_steps; }

extents skewed::most_of_layer(const config&, const stencil_problem& problem, int) {
  return problem.size;
}

layout_result skewed::lay_out(const config&, const tiling_request& asked,
                              const layout_problem& on) {
  const stencil_problem& problem = on.stencil;
  const double cache = cache_bytes(on.device);
  skewed_division d = undivided(problem.size, problem.inner, problem.radius, problem.edge);
  const int steps = asked.depth > 0 ? asked.depth : planned_steps(problem, cache, d, asked.teams);
  const int slabs = std::min(asked.teams, most_parts(d.layers, steps));
  if (slabs == 0) return layout_obstacle::subdomains;
  const int wanted = static_cast<int>(
      std::ceil(cells(d.across) / std::clamp(fitting(problem, cache, steps), 1.0, 1e9)));
  const int tiles = std::clamp(wanted, 1, std::max(1, most_parts(d.across, steps)));

  stencil_candidate out;
  stencil_plan& p = out.plan;
  p.depth = steps;
  p.teams = slabs;
  const int layers = pieces(cells(d.layers), slabs), across = pieces(cells(d.across), tiles);
  const bool flat = problem.size.dims == 2;
  p.tile_z = flat ? 1 : layers;
  p.tile_y = flat ? layers : across;
  p.tile_x = flat ? across : problem.size.x;
  p.tiles_z = flat ? 1 : slabs;
  p.tiles_y = flat ? slabs : tiles;
  p.tiles_x = flat ? tiles : 1;
  return out;
}

subdomain_facts skewed::subdomains(const config&, const stencil_plan& p,
                                   const stencil_problem& problem) {
  subdomain_facts s = no_subdomains(problem);
  s.pass_steps = p.depth;
  return s;
}

std::string skewed::describe(const config&, const stencil_plan& p, const stencil_problem& problem,
                             const std::string&) {
  const bool flat = problem.size.dims == 2;
  const int tiles = flat ? p.tiles_x : p.tiles_y;
  return fmt::format("{} in one pass; {} of {} {}{}", steps_text(p.depth),
                     p.teams == 1 ? "a slab" : fmt::format("{} slabs", p.teams),
                     flat ? p.tile_y : p.tile_z, flat ? "rows" : "planes",
                     tiles == 1
                         ? ""
                         : fmt::format(", each in {} tiles of {} {}", tiles,
                                       flat ? p.tile_x : p.tile_y, flat ? "columns" : "rows"));
}

skewed_division skewed_division_of(const stencil_plan& p, const extents& size,
                                   const cell_box& inner, int radius, boundary edge) {
  skewed_division d = undivided(size, inner, radius, edge);
  d.layers.parts = size.dims == 2 ? p.tiles_y : p.tiles_z;
  d.across.parts = size.dims == 2 ? p.tiles_x : p.tiles_y;
  return d;
}

}  // namespace dwell
