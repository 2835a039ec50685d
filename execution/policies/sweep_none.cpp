// SPDX-License-Identifier: MIT
// Policy "none" for Sweeps: see sweep_none.hpp.
#include "dwell/execution/policies/sweep_none.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "dwell/execution/model/limits.hpp"
#include "dwell/execution/policies/sweep_clock.hpp"
#include "dwell/execution/policies/threads_worth.hpp"
#include "dwell/formats/error.hpp"

namespace dwell::policies {
namespace {

/// Whether teams that stay draw their tiles. Drawn tiles keep teams from drifting apart, and cost a
/// meeting of the lanes each: worth it over many turns, or where tiles above one another share two
/// planes or more (measured, docs/results/stencil-h200.md). So it is where rows end early in their
/// last tile: of every so many tiles one takes less time, and that may be the same team's always.
bool draws(const sweep_plan& p, const sweep_problem_facts& problem) {
  const std::int64_t tiles = p.tiles(), teams = p.teams;
  if (problem.size.dims == 2) return tiles > 4 * teams;
  const bool uneven = p.tiles_x > 1 && 2 * (problem.inner.x1 % p.tile_x) < p.tile_x;
  return (problem.radius > 1 || uneven) && tiles > 2 * teams;
}

/// Whether every second step takes the tiles backwards, and so begins with what L2 has of the step
/// before. If L2 holds the field all is there anyway, and of a far larger one next to nothing.
bool turns(const sweep_problem_facts& problem, const device_facts& device) {
  const double bytes = 2.0 * static_cast<double>(problem.size.cells() * problem.scalar_bytes);
  return may_turn(problem.size.dims, problem.radius) && bytes > limits_of(device).l2_keeps &&
         bytes < 10 * static_cast<double>(device.l2);
}

/// Teams that stay for a whole run, `most` of which fit on `units` multiprocessors: the same number
/// on each of them. In a step a multiprocessor goes through as many tiles as its teams take turns;
/// fewer teams are taken if that saves a fifth of them.
std::int64_t resident_teams(std::int64_t tiles, int most, int units) {
  const int per_unit = most / std::max(units, 1);
  if (per_unit < 3) return most;
  const auto turns = [&](int per) {
    const std::int64_t teams = static_cast<std::int64_t>(per) * units;
    return (tiles + teams - 1) / teams * per;
  };
  return static_cast<std::int64_t>(5 * turns(2) <= 4 * turns(per_unit) ? 2 : per_unit) * units;
}

/// Beyond a mirror cells are found among 2n.
void check_numbers(const sweep_problem_facts& problem) {
  const extents& n = problem.size;
  constexpr int most = 1 << 30;
  if (problem.edge == boundary::reflect && std::max({n.x, n.y, n.z}) > most)
    throw unsupported_error(fmt::format(
        "boundary reflect: expected at most {} cells along an axis, found {}", most, to_string(n)));
}

/// Tiles of half the height, and again, while that makes no more of them than teams fit, so that
/// more multiprocessors have some, and until a lane has one patch of each. Where tiles wait for
/// those around them only, until teams have three for every two of them: a team then seldom waits.
/// No tile may reach farther than those.
void halve_tiles(sweep_plan& p, const sweep_problem_facts& problem,
                 const sweep_rung_facts& kernel) {
  const cell_box& b = problem.inner;
  const bool flat = problem.size.dims == 2;
  const sweep_rung& r = kernel.shape;
  int& height = flat ? p.tile_y : p.tile_z;
  for (int left = (flat ? r.down : r.deep) / r.together; left > 1; left /= 2) {
    const bool enough = r.flows ? 2 * p.tiles() >= std::int64_t{3} * kernel.max_teams
                                : 2 * p.tiles() > kernel.max_teams;
    if (enough || height / 2 < problem.radius) return;
    height /= 2;
    (flat ? p.tiles_y : p.tiles_z) = pieces(flat ? b.y1 - b.y0 : b.z1 - b.z0, height);
  }
}

/// Rows (planes) at the end of an axis that are fewer than a patch's go to the tile before them.
/// The patch that ends with them begins there, and reads what is around it.
void join_thin_ends(sweep_plan& p, const cell_box& inner, const sweep_rung& r, bool flat) {
  if (r.across <= 1) return;  // columns, which end anywhere
  const auto join = [](int& tiles, int tile, int cells, int patch) {
    if (tiles > 1 && cells - (tiles - 1) * tile < patch) --tiles;
  };
  join(p.tiles_y, p.tile_y, inner.y1 - inner.y0, flat ? r.together : r.down);
  if (!flat) join(p.tiles_z, p.tile_z, inner.z1 - inner.z0, r.together);
}

void require_countable(const sweep_plan& p, std::int64_t most, const sweep_problem_facts& problem) {
  if (p.tiles() > most)
    throw unsupported_error(
        fmt::format("{} cells are more tiles than can be numbered", to_string(problem.size)));
}

/// What a step on a CPU moves, or what takes as long as its arithmetic.
double work_of_step(const sweep_problem_facts& problem) {
  constexpr double bytes_per_flop = 1.5;
  const auto cells = static_cast<double>(changing_cells(problem.size, problem.inner, problem.edge));
  const double bytes = (problem.source ? 3.0 : 2.0) * static_cast<double>(problem.scalar_bytes);
  return cells * std::max(bytes, bytes_per_flop * problem.flops);
}

/// On a CPU a tile is a whole row: long vectors.
sweep_choice rows_for_threads(const sweep_problem_facts& problem, const device_facts& device,
                              int teams) {
  const cell_box& b = problem.inner;
  sweep_choice c;
  c.policy = "none";
  sweep_plan& p = c.plan;
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
  return c;
}

/// On a GPU the tiles are those of the first kernel that the grid suits; the last one suits any.
const sweep_rung_facts& cut_for_blocks(sweep_plan& p, const sweep_problem_facts& problem,
                                       std::span<const sweep_rung_facts> rungs) {
  const cell_box& b = problem.inner;
  const auto suits = [&](const sweep_rung& r) {
    return r.across <= 1 || (padded_row(problem.size.x, problem.scalar_bytes) % r.across == 0 &&
                             b.y1 - b.y0 >= r.down && b.z1 - b.z0 >= r.deep);
  };
  while (p.rung + 1 < static_cast<int>(rungs.size()) &&
         !suits(rungs[static_cast<std::size_t>(p.rung)].shape))
    ++p.rung;
  const sweep_rung_facts& kernel = rungs[static_cast<std::size_t>(p.rung)];
  const sweep_rung& r = kernel.shape;
  p.tile_x = lanes_beside * std::max(r.across, 1);
  p.tile_y = std::max(r.lanes / lanes_beside, 1) * r.down;
  p.tile_z = r.deep;
  // Pieces of several cells begin at the grid's first column.
  p.tiles_x = pieces(r.across > 1 ? b.x1 : b.x1 - b.x0, p.tile_x);
  p.tiles_y = pieces(b.y1 - b.y0, p.tile_y);
  p.tiles_z = pieces(b.z1 - b.z0, p.tile_z);
  halve_tiles(p, problem, kernel);
  if (r.flows) join_thin_ends(p, b, r, problem.size.dims == 2);
  return kernel;
}

/// Blocks that stay take as many tiles as come to them; a launch for every step has one for each.
int blocks_for(const sweep_plan& p, const sweep_rung_facts& kernel, bool resident, int units,
               int teams) {
  const std::int64_t tiles = std::max<std::int64_t>(p.tiles(), 1);
  if (kernel.shape.flows) return static_cast<int>(std::min<std::int64_t>(tiles, kernel.max_teams));
  if (resident)
    return teams > 0 ? teams
                     : static_cast<int>(
                           std::min(tiles, resident_teams(p.tiles(), kernel.max_teams, units)));
  if (teams > 0 && teams != tiles)
    throw unsupported_error(fmt::format(
        "teams {}: a launch for every step has a thread block for each tile, {}", teams, tiles));
  return static_cast<int>(tiles);
}

}  // namespace

/// Every step reads and writes all cells that change, and reads their source: through L2
/// where all fit. Arithmetic runs at its full rate beside it. 0.54 us is a kernel's share of a
/// graph, as measured on an H200; host-loop pays more.
sweep_projection sweep_roof(const sweep_problem_facts& problem, bool resident,
                            const device_facts& device) {
  const device_limits l = limits_of(device);
  const auto cells = static_cast<double>(changing_cells(problem.size, problem.inner, problem.edge));
  const double bytes =
      (problem.source ? 3.0 : 2.0) * cells * static_cast<double>(problem.scalar_bytes);
  sweep_projection t;
  t.arithmetic = cells * cycles_per_cell(problem, device) * cycle_of(device) / device.units;
  t.l2 = bytes / l.l2;
  t.memory = bytes > l.l2_keeps ? bytes / l.memory : 0;
  t.exchange = resident ? l.barrier : 0.54e-6;
  t.seconds = std::max({t.arithmetic, t.l2, t.memory}) + t.exchange;
  return t;
}

sweep_projection time_of_launches(const sweep_problem_facts& problem, const sweep_choice& c,
                                  const sweep_rung& r, const device_facts& device) {
  return sweep_clock(problem, device).step_of_field(c.plan, r, by_launches, c.projected);
}

sweep_choice sweep_none(const sweep_problem_facts& problem, bool resident,
                        std::span<const sweep_rung_facts> rungs, const device_facts& device,
                        int teams) {
  check_numbers(problem);
  if (device.on == backend::cpu) return rows_for_threads(problem, device, teams);

  sweep_choice c;
  c.policy = "none";
  sweep_plan& p = c.plan;
  const sweep_rung_facts& kernel = cut_for_blocks(p, problem, rungs);
  // A launch for every step has a team for each tile, and numbers its lanes in 32 bits.
  require_countable(p, resident ? INT32_MAX : UINT32_MAX / kernel.shape.lanes, problem);
  c.projected = sweep_roof(problem, resident, device);
  p.teams = blocks_for(p, kernel, resident, device.units, teams);
  p.turns = turns(problem, device);
  p.by_ticket = resident && !kernel.shape.flows && kernel.shape.across > 1 && draws(p, problem);
  c.reason =
      fmt::format("{} block{} of {} threads on {} multiprocessors, nothing cached explicitly{}{}",
                  p.teams, p.teams == 1 ? "" : "s", kernel.shape.lanes, device.units,
                  kernel.shape.flows ? "; a tile waits for those around it only" : "",
                  p.turns ? "; every second step goes backwards" : "");
  return c;
}

}  // namespace dwell::policies
