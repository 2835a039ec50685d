// SPDX-License-Identifier: MIT
// See sweep_run.hpp.
#include "dwell/execution/core/sweep_run.hpp"

#include <fmt/format.h>

#include "dwell/formats/error.hpp"

namespace dwell {

void check_plan(const sweep_variant& v, const device& where, const sweep_plan& how) {
  if (how.rung < 0 || how.rung >= static_cast<int>(v.rungs.size()))
    throw unsupported_error(
        fmt::format("expected a rung from 0 to {}, found {}", v.rungs.size() - 1, how.rung));
  constexpr int most_teams = 1 << 30;
  if (how.teams < 1 || how.teams > most_teams)
    throw unsupported_error(fmt::format("expected 1 to {} teams, found {}", most_teams, how.teams));
  if (!v.resident || v.on == backend::cpu) return;
  const sweep_rung_facts f = v.probe(where, how.rung);
  if (how.teams > f.max_teams)
    throw unsupported_error(fmt::format(
        "executor '{}' needs all its {} blocks on the device together, but {} of {} threads, {} "
        "registers and {} bytes of shared memory each are the most that fit",
        v.executor, how.teams, f.max_teams, f.shape.lanes, f.registers, f.scratch_bytes));
}

int row_pitch(const sweep_variant& v, const sweep_plan& how, const extents& n,
              std::size_t scalar_bytes) {
  if (v.rungs[static_cast<std::size_t>(how.rung)].keeps) return n.x;
  return padded_row(n.x, scalar_bytes);
}

cell_box inner_box(const extents& n, int radius) {
  const auto axis = [&](int cells, int r, int& first, int& last) {
    first = std::min(r, cells);
    last = std::max(first, cells - r);
  };
  cell_box b;
  axis(n.z, n.dims == 3 ? radius : 0, b.z0, b.z1);
  axis(n.y, radius, b.y0, b.y1);
  axis(n.x, radius, b.x0, b.x1);
  return b;
}

}  // namespace dwell
