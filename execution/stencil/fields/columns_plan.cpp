// SPDX-License-Identifier: MIT
#include "dwell/execution/stencil/fields/columns_plan.hpp"

#include <algorithm>
#include <cstdint>

#include "dwell/device/limits.hpp"

namespace dwell {

int columns_registers(const columns_numbers& n) {
  int arriving = n.shape.fields;
  for (int c = n.shape.fields; c < n.shape.arrays(); ++c) arriving += n.arrives(c);
  const int values = n.all_kept() + 2 * n.shape.fields + arriving;
  return n.config.rows * (n.value_bytes / 4 * values + 1);
}

double columns_cycles(const columns_numbers& n, const field_work& work, const columns_room& room) {
  // Cycles of a cell and step; and what a row of a tile costs that comes or goes, beside its bytes.
  const double cell =
      n.value_bytes == 8 ? 0.32 + 0.0197 * work.operations : 0.20 + 0.0151 * work.operations;
  constexpr double row = 400;  ///< bytes that would take as long
  const double cells = n.plane_values();
  // Few lanes wait more for each other.
  const double waits = (1 + 64.0 / n.lanes()) / (1 + 64.0 / 512);
  const double computing = cells * n.config.steps * cell * waits;
  double bytes = n.value_bytes * static_cast<double>(n.own_x()) * n.own_y() * n.shape.fields +
                 row * n.own_y() * n.shape.fields;
  for (int a = 0; a < n.shape.arrays(); ++a)
    if (n.arrives(a)) bytes += n.value_bytes * cells + row * n.height();
  const double moving = bytes / room.bytes;
  return std::max(computing, moving) + 0.15 * std::min(computing, moving);
}

std::optional<columns_config> plan_columns(const columns_shape& shape, const field_work& work,
                                           int value_bytes, const columns_room& room, int depth) {
  // Wider tiles were slower, fewer lanes, too; groups are those that four schedulers share evenly.
  constexpr int across = 64, most_rows = 8;
  constexpr int most_code = 6500;  ///< what a compiler goes through in few seconds
  constexpr int most_steps = 6;
  std::optional<columns_config> best;
  double best_score = 0;
  const int first = depth > 0 ? depth : 1, last = depth > 0 ? depth : most_steps;
  for (int steps = first; steps <= std::min(last, most_steps); ++steps)
    for (const int groups : {6, 8, 12, 16})
      for (int rows = 1; rows <= most_rows; ++rows) {
        const columns_config c{across, groups, rows, steps};
        const columns_numbers n{shape, c, value_bytes};
        const int registers = room.registers / n.lanes() / 8 * 8;
        // Registers of a lane's code, beside its cells: with fewer it spills.
        const int of_code = std::min(43, 6 + 3 * registers / 8);
        const int copies = n.turn() + 2;  // copies of the code: that for borders is longer
        if (!n.valid() || n.scratch_bytes() > room.scratch ||
            columns_registers(n) + of_code > registers ||
            copies * rows * steps * (work.nodes + 6 * shape.arrays()) > most_code)
          continue;
        const double score =
            static_cast<double>(n.own_x()) * n.own_y() * steps / columns_cycles(n, work, room);
        if (score <= best_score) continue;
        best_score = score;
        best = c;
      }
  return best;
}

columns_tiles tiles_of(const field_domain& domain, const columns_numbers& n) {
  const auto& cells = domain.size().n;
  return columns_tiles::of(n, static_cast<int>(cells[2]), static_cast<int>(cells[1]),
                           domain.is_periodic(2), domain.is_periodic(1));
}

columns_division divide_columns(const field_domain& domain, const columns_numbers& n, int units) {
  columns_division d;
  d.tiles = tiles_of(domain, n).count();
  d.teams = static_cast<int>(std::min<std::int64_t>(
      {d.tiles * domain.size().n[0], std::int64_t{units}, pass_runs::most_teams}));
  return d;
}

double columns_seconds(const field_domain& domain, const columns_numbers& n,
                       const device_facts& device) {
  const device_limits limits = limits_of(device);
  const double clock = limits.clock > 0 ? limits.clock : 1.5e9;
  columns_room room;
  if (limits.memory > 0) room.bytes *= limits.memory / limits_of(facts_of("h200")).memory;
  const columns_division d = divide_columns(domain, n, device.units);
  const auto layers = static_cast<double>(domain.size().n[0]);
  const double planes = std::max(1.0, d.tiles * layers / d.teams);
  const double parts = 1 + planes / layers;
  const double ticks = planes + parts * (n.halo_z() + n.all_behind() + 1);
  const double pass =
      ticks * columns_cycles(n, work_of(domain.definition(), n.value_bytes), room) / clock;
  return (pass + limits.launch) / n.config.steps;
}

}  // namespace dwell
