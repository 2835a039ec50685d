// SPDX-License-Identifier: MIT
// Policy "none" for Sweeps: see sweep_none.hpp.
#include "dwell/execution/policies/sweep_none.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "dwell/execution/model/limits.hpp"
#include "dwell/execution/policies/sweep_clock.hpp"
#include "dwell/formats/error.hpp"

namespace dwell::policies {
namespace {

int pieces(int cells, int of) { return (cells + of - 1) / of; }

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
  t.arithmetic = cells * cycles_per_cell(problem) * cycle_of(device) / device.units;
  t.l2 = bytes / l.l2;
  t.memory = bytes > l.l2_keeps ? bytes / l.memory : 0;
  t.exchange = resident ? l.barrier : 0.54e-6;
  t.seconds = std::max({t.arithmetic, t.l2, t.memory}) + t.exchange;
  return t;
}

sweep_choice sweep_none(const sweep_problem_facts& problem, bool resident,
                        std::span<const sweep_rung_facts> rungs, const device_facts& device) {
  const cell_box& b = problem.inner;
  sweep_choice c;
  c.policy = "none";
  sweep_plan& p = c.plan;
  if (device.on == backend::cpu) {
    p.tile_x = std::max(1, b.x1 - b.x0);  // whole rows: long vectors
    p.tile_y = 1;
    p.tile_z = 1;
  } else {
    p.tile_x = 64;  // the lanes of a team: 64 x 4, each takes twice 4 cells along the slowest axis
    p.tile_y = problem.size.dims == 2 ? 32 : 4;
    p.tile_z = problem.size.dims == 2 ? 1 : 8;
  }
  p.tiles_z = pieces(b.z1 - b.z0, p.tile_z);
  p.tiles_y = pieces(b.y1 - b.y0, p.tile_y);
  p.tiles_x = pieces(b.x1 - b.x0, p.tile_x);
  const std::int64_t tiles = static_cast<std::int64_t>(p.tiles_z) * p.tiles_y * p.tiles_x;
  if (tiles > INT32_MAX)
    throw unsupported_error(
        fmt::format("{} cells are more tiles than can be numbered", to_string(problem.size)));
  if (device.on == backend::cpu) {
    p.teams = device.units;
    c.reason =
        fmt::format("{} thread{}, nothing cached explicitly", p.teams, p.teams == 1 ? "" : "s");
    return c;
  }
  c.projected = sweep_roof(problem, resident, device);
  // A launch takes a team per tile; beyond a million the teams take several each.
  const std::int64_t most = resident ? rungs[0].max_teams : 1 << 20;
  p.teams = static_cast<int>(std::clamp<std::int64_t>(tiles, 1, most));
  c.reason = fmt::format("{} blocks of {} threads on {} multiprocessors, nothing cached explicitly",
                         p.teams, rungs[0].shape.lanes, device.units);
  return c;
}

}  // namespace dwell::policies
