// SPDX-License-Identifier: MIT
#include "dwell/execution/stencil/fields/columns_plan.hpp"

#include <algorithm>
#include <cstdint>

#include "dwell/device/limits.hpp"

namespace dwell {
namespace {

/// Instructions of a cell and step, as machine code has them: operations, each value that is read,
/// and each that moves on from plane to plane.
double instructions_of(const columns_numbers& n, const field_work& work) {
  const int taps = work.nodes - work.operations;
  const double moved = n.shape.stages * (6.0 * n.shape.fields + 1.5 * n.shape.coefficients);
  return moved + 0.8 * taps + work.operations * (n.value_bytes == 8 ? 1.2 : 1.0);
}

}  // namespace

int columns_registers(const columns_numbers& n) {
  int arriving = n.shape.fields;
  for (int c = n.shape.fields; c < n.shape.arrays(); ++c) arriving += n.ring(0, c) > 0;
  return n.value_bytes / 4 * n.config.rows * (n.all_kept() + 2 * n.shape.fields + arriving);
}

double columns_cycles(const columns_numbers& n, const field_work& work, const columns_room& room) {
  // Lanes that issue an instruction in a cycle, as far as dependences let them.
  constexpr double issued = 128 * 0.6, meeting = 400;
  const double cells = n.plane_values();
  const double computing = cells * n.config.steps * instructions_of(n, work) / issued;
  const double moving =
      n.value_bytes *
      (cells * n.shape.arrays() + static_cast<double>(n.own_x()) * n.own_y() * n.shape.fields) /
      (0.85 * room.bytes);
  return n.config.teams * std::max(computing, moving) + meeting;
}

std::optional<columns_config> plan_columns(const columns_shape& shape, const field_work& work,
                                           int value_bytes, const columns_room& room, int depth) {
  // Registers of a lane's code, and what a compiler goes through in few seconds.
  constexpr int of_code = 44, most_code = 6500, most_steps = 6;
  constexpr std::size_t of_team = 1 << 10;
  std::optional<columns_config> best;
  double best_score = 0;
  const int first = depth > 0 ? depth : 1, last = depth > 0 ? depth : most_steps;
  for (int steps = first; steps <= std::min(last, most_steps); ++steps)
    for (const int across : {32, 64, 96, 128})
      for (const int lanes : {256, 384, 512, 768, 1024})
        for (int rows = 1; rows <= 8; ++rows)
          for (int teams = 1; teams <= 2; ++teams) {
            if (lanes % across != 0) continue;
            const columns_config c{across, lanes / across, rows, steps, teams};
            const columns_numbers n{shape, c, value_bytes};
            const int registers = std::min(255, room.registers / (lanes * teams) / 8 * 8);
            const int copies = n.turn() + 2;  // of the code: that for borders is longer
            if (!n.valid() || (n.scratch_bytes() + of_team) * teams > room.scratch + of_team ||
                columns_registers(n) + of_code > registers ||
                copies * rows * steps * (work.nodes + 6 * shape.arrays()) > most_code)
              continue;
            const double score = static_cast<double>(n.own_x()) * n.own_y() * steps * teams /
                                 columns_cycles(n, work, room);
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
      {d.tiles * domain.size().n[0], std::int64_t{units} * n.config.teams, pass_runs::most_teams}));
  return d;
}

double columns_seconds(const field_domain& domain, const columns_numbers& n,
                       const device_facts& device) {
  const device_limits limits = limits_of(device);
  const double clock = limits.clock > 0 ? limits.clock : 1.5e9;
  columns_room room;
  // Of the rate on paper a copy has 0.9.
  if (limits.units > 0) room.bytes = 0.9 * limits.memory / limits.units / clock;
  const columns_division d = divide_columns(domain, n, device.units);
  const auto layers = static_cast<double>(domain.size().n[0]);
  const double planes = std::max(1.0, d.tiles * layers / d.teams);
  const double parts = 1 + planes / layers;
  const double ticks = planes + parts * (n.halo_z() + n.all_behind() + 1);
  const double pass = ticks * columns_cycles(n, work_of(domain.definition()), room) / clock;
  return (pass + limits.launch) / n.config.steps;
}

}  // namespace dwell
