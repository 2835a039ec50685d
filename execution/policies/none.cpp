// SPDX-License-Identifier: MIT
#include "dwell/execution/policies/none.hpp"

#include <fmt/format.h>

namespace dwell::policies {

plan none(const program_facts&, std::span<const rung_facts> rungs, const device_facts& device) {
  plan p;
  p.policy = "none";
  if (device.on == backend::cpu) {
    p.teams = device.units;
    p.reason = fmt::format("{} thread{}, nothing cached explicitly", p.teams, p.teams == 1 ? "" : "s");
    return p;
  }
  // Every team that fits: latency is hidden by other teams' work.
  p.rung = 0;
  p.teams = rungs[0].max_teams;
  p.reason = fmt::format("{} blocks of {} threads on {} multiprocessors, nothing cached explicitly", p.teams,
                         rungs[0].shape.lanes, device.units);
  return p;
}

}  // namespace dwell::policies
