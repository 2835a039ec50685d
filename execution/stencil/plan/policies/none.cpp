// SPDX-License-Identifier: MIT
// Policy "none" for stencils: see none.hpp.
#include "dwell/execution/stencil/plan/policies/none.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/execution/stencil/plan/field_time.hpp"
#include "dwell/execution/stencil/plan/policies/cell_order.hpp"

namespace dwell::policies {
namespace {

/// Whether teams that stay draw their tiles. Drawn tiles keep teams from drifting apart, so that
/// they share planes in L2, and cost a barrier of the lanes each: worth it over many tiles a team
/// (measured, docs/lab-notebook.md).
bool draws(const stencil_plan& p, const stencil_problem& problem) {
  const std::int64_t tiles = p.tiles(), teams = p.teams;
  return tiles > (problem.size.dims == 2 ? 4 : 2) * teams;
}

/// Whether every second step takes the tiles backwards, and so begins with what L2 has of the step
/// before. If L2 holds the field all is there anyway, and of a far larger one next to nothing.
bool alternates(const stencil_problem& problem, const device_facts& device) {
  const double bytes = 2.0 * static_cast<double>(problem.size.cells() * problem.scalar_bytes);
  return may_alternate(problem.size.dims, problem.radius) && bytes > limits_of(device).l2_cached &&
         bytes < 10 * static_cast<double>(device.l2);
}

/// Teams that stay for a whole run, `most` of which fit on `units` multiprocessors: the same number
/// on each of them. In a step a multiprocessor goes through as many tiles as its teams take rounds;
/// fewer teams are taken if that saves a fifth of them.
std::int64_t cooperative_teams(std::int64_t tiles, int most, int units) {
  const int per_unit = most / std::max(units, 1);
  if (per_unit < 3) return most;
  const auto rounds = [&](int per) {
    const std::int64_t teams = static_cast<std::int64_t>(per) * units;
    return (tiles + teams - 1) / teams * per;
  };
  return static_cast<std::int64_t>(5 * rounds(2) <= 4 * rounds(per_unit) ? 2 : per_unit) * units;
}

/// Beyond a mirror cells are found among 2n.
void check_numbers(const stencil_problem& problem) {
  const extents& n = problem.size;
  constexpr int most = 1 << 30;
  if (problem.edge == boundary::reflect && std::max({n.x, n.y, n.z}) > most)
    throw unsupported_error(fmt::format(
        "boundary reflect: expected at most {} cells along an axis, found {}", most, to_string(n)));
}

/// Tiles of half the height, and again, while that makes no more of them than teams fit, so that
/// more multiprocessors have some, and until a lane has one tile of each. Where tiles wait for
/// those around them only, until teams have three for every two of them: a team then seldom waits.
/// No tile may reach farther than those.
void halve_tiles(stencil_plan& p, const stencil_problem& problem, const engine_facts& kernel) {
  const cell_box& b = problem.inner;
  const bool flat = problem.size.dims == 2;
  const step_config& r = step_config_of(*kernel.engine);
  int& height = flat ? p.tile_y : p.tile_z;
  for (int left = (flat ? r.down : r.deep) / r.together; left > 1; left /= 2) {
    const bool enough = r.dataflow ? 2 * p.tiles() >= std::int64_t{3} * kernel.max_teams
                                   : 2 * p.tiles() > kernel.max_teams;
    if (enough || height / 2 < problem.radius) return;
    height /= 2;
    (flat ? p.tiles_y : p.tiles_z) = pieces(flat ? b.y1 - b.y0 : b.z1 - b.z0, height);
  }
}

/// Rows (planes) at the end of an axis that are fewer than a tile's go to the tile before them.
/// The tile that ends with them begins there, and reads what is around it.
void join_thin_ends(stencil_plan& p, const cell_box& inner, const step_config& r, bool flat) {
  if (r.across <= 1) return;  // columns, which end anywhere
  const auto join = [](int& tiles, int height, int cells, int least) {
    if (tiles > 1 && cells - (tiles - 1) * height < least) --tiles;
  };
  join(p.tiles_y, p.tile_y, inner.y1 - inner.y0, flat ? r.together : r.down);
  if (!flat) join(p.tiles_z, p.tile_z, inner.z1 - inner.z0, r.together);
}

void require_countable(const stencil_plan& p, std::int64_t most, const stencil_problem& problem) {
  if (p.tiles() > most)
    throw unsupported_error(
        fmt::format("{} cells are more tiles than can be numbered", to_string(problem.size)));
}

/// What a step on a CPU moves, or what takes as long as its arithmetic.
double work_of_step(const stencil_problem& problem) {
  constexpr double bytes_per_flop = 1.5;
  const auto cells = static_cast<double>(changing_cells(problem.size, problem.inner, problem.edge));
  const double bytes = (problem.source ? 3.0 : 2.0) * static_cast<double>(problem.scalar_bytes);
  return cells * std::max(bytes, bytes_per_flop * problem.flops);
}

/// On a CPU a tile is a whole row: long vectors.
stencil_choice rows_for_threads(const stencil_problem& problem, const device_facts& device,
                                int teams, const std::optional<cell_order>& cells) {
  const cell_box& b = problem.inner;
  stencil_choice c;
  c.policy = nothing_cached;
  stencil_plan& p = c.plan;
  p.tile_x = std::max(1, b.x1 - b.x0);
  p.tile_y = 1;
  p.tile_z = 1;
  p.tiles_x = pieces(b.x1 - b.x0, p.tile_x);
  p.tiles_y = pieces(b.y1 - b.y0, p.tile_y);
  p.tiles_z = pieces(b.z1 - b.z0, p.tile_z);
  require_countable(p, INT32_MAX, problem);
  const thread_choice worth = threads_worth(work_of_step(problem), p.tiles(), "step", device);
  p.teams = teams > 0 ? teams : worth.threads;
  c.reason = teams > 0 ? fmt::format("{} thread{}, nothing cached explicitly", teams,
                                     teams == 1 ? "" : "s")
                       : worth.why + ", nothing cached explicitly";
  const cell_order_choice order =
      cells ? cell_order_choice{*cells, "cells in order " + to_string(*cells)}
            : choose_cell_order(problem, device.core_cache);
  p.cells = order.cells;
  if (!order.why.empty()) c.reason += "; " + order.why;
  return c;
}

/// On a GPU, where the lanes of a block take the cells of a row in turn: a block for each row, or
/// so many that a launch can have them.
stencil_choice rows_for_blocks(const stencil_problem& problem, const engine_facts& kernel,
                               const device_facts& device, int teams) {
  constexpr std::int64_t most = 1 << 30;
  const std::int64_t rows = static_cast<std::int64_t>(problem.size.z) * problem.size.y;
  stencil_choice c;
  c.policy = "none";
  c.plan.teams = teams > 0 ? teams : static_cast<int>(std::min(rows, most));
  c.projected = stencil_roof(problem, false, device);
  c.reason = fmt::format("{} block{} of {} threads, a row each in turn, nothing cached explicitly",
                         c.plan.teams, c.plan.teams == 1 ? "" : "s", kernel.engine->shape().lanes);
  return c;
}

/// On a GPU the tiles are those of the first kernel that the grid suits; the last one suits any.
const engine_facts& cut_for_blocks(stencil_plan& p, const stencil_problem& problem,
                                   std::span<const engine_facts> kernels) {
  const cell_box& b = problem.inner;
  const auto suits = [&](const step_config& r) {
    return r.across <= 1 || (padded_row(problem.size.x, problem.scalar_bytes) % r.across == 0 &&
                             b.y1 - b.y0 >= r.down && b.z1 - b.z0 >= r.deep);
  };
  while (p.config + 1 < static_cast<int>(kernels.size()) &&
         !suits(step_config_of(*kernels[static_cast<std::size_t>(p.config)].engine)))
    ++p.config;
  const engine_facts& kernel = kernels[static_cast<std::size_t>(p.config)];
  const step_config& r = step_config_of(*kernel.engine);
  p.tile_x = lanes_beside * std::max(r.across, 1);
  p.tile_y = std::max(r.lanes / lanes_beside, 1) * r.down;
  p.tile_z = r.deep;
  // Pieces of several cells begin at the grid's first column.
  p.tiles_x = pieces(r.across > 1 ? b.x1 : b.x1 - b.x0, p.tile_x);
  p.tiles_y = pieces(b.y1 - b.y0, p.tile_y);
  p.tiles_z = pieces(b.z1 - b.z0, p.tile_z);
  halve_tiles(p, problem, kernel);
  if (r.dataflow) join_thin_ends(p, b, r, problem.size.dims == 2);
  return kernel;
}

/// Blocks that stay take as many tiles as come to them; a launch for every step has one for each.
int blocks_for(const stencil_plan& p, const engine_facts& kernel, bool cooperative, int units,
               int teams) {
  const std::int64_t tiles = std::max<std::int64_t>(p.tiles(), 1);
  if (kernel.engine->shape().tile_flags)
    return static_cast<int>(std::min<std::int64_t>(tiles, kernel.max_teams));
  if (cooperative)
    return teams > 0 ? teams
                     : static_cast<int>(
                           std::min(tiles, cooperative_teams(p.tiles(), kernel.max_teams, units)));
  if (teams > 0 && teams != tiles)
    throw unsupported_error(fmt::format(
        "teams {}: a launch for every step has a thread block for each tile, {}", teams, tiles));
  return static_cast<int>(tiles);
}

}  // namespace

/// Every step reads and writes all cells that change, and reads their source: through L2
/// where all fit. Arithmetic runs at its full rate beside it. 0.54 us is a kernel's part of a
/// graph, as measured on an H200; host-loop pays more.
stencil_projection stencil_roof(const stencil_problem& problem, bool cooperative,
                                const device_facts& device) {
  const device_limits l = limits_of(device);
  const auto cells = static_cast<double>(changing_cells(problem.size, problem.inner, problem.edge));
  const double bytes =
      (problem.source ? 3.0 : 2.0) * cells * static_cast<double>(problem.scalar_bytes);
  stencil_projection t;
  t.arithmetic = cells * cycles_per_cell(problem, device) * cycle_of(device) / device.units;
  t.l2 = bytes / l.l2;
  t.memory = bytes > l.l2_cached ? bytes / l.memory : 0;
  t.exchange = cooperative ? l.barrier : 0.54e-6;
  t.seconds = std::max({t.arithmetic, t.l2, t.memory}) + t.exchange;
  return t;
}

stencil_projection time_of_launches(const stencil_problem& problem, const stencil_choice& c,
                                    const stencil_engine& engine, const device_facts& device) {
  return time_of_field(problem, device, c.plan, step_config_of(engine), by_launches, c.projected);
}

stencil_choice plan_uncached(const stencil_problem& problem, bool cooperative,
                             std::span<const engine_facts> kernels, const device_facts& device,
                             int teams, const std::optional<cell_order>& cells) {
  check_numbers(problem);
  if (device.on == backend::cpu) return rows_for_threads(problem, device, teams, cells);
  if (kernels[0].engine->shape().across == 0)
    return rows_for_blocks(problem, kernels[0], device, teams);

  stencil_choice c;
  c.policy = nothing_cached;
  stencil_plan& p = c.plan;
  const engine_facts& kernel = cut_for_blocks(p, problem, kernels);
  // A launch for every step has a team for each tile, and numbers its lanes in 32 bits.
  require_countable(p, cooperative ? INT32_MAX : UINT32_MAX / kernel.engine->shape().lanes,
                    problem);
  c.projected = stencil_roof(problem, cooperative, device);
  p.teams = blocks_for(p, kernel, cooperative, device.units, teams);
  p.alternates = alternates(problem, device);
  p.by_ticket = cooperative && !kernel.engine->shape().tile_flags &&
                kernel.engine->shape().across > 1 && draws(p, problem);
  if (cells) p.cells = *cells;
  c.reason = fmt::format(
      "{} block{} of {} threads on {} multiprocessors, nothing cached explicitly{}{}{}", p.teams,
      p.teams == 1 ? "" : "s", kernel.engine->shape().lanes, device.units,
      kernel.engine->shape().tile_flags ? "; a tile waits for those around it only" : "",
      p.alternates ? "; every second step goes backwards" : "",
      cells ? "; tiles in order " + to_string(*cells) : "");
  return c;
}

}  // namespace dwell::policies
