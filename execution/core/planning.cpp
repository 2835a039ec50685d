// SPDX-License-Identifier: MIT
// The refusal of plans that do not fit.
#include "dwell/execution/core/planning.hpp"

namespace dwell {

void check_plan(const program_variant& v, const plan& how, std::span<const rung_facts> rungs,
                std::size_t scratch, const device_facts& device) {
  constexpr int most_teams = 1 << 16;
  if (how.teams < 1 || how.teams > most_teams)
    throw unsupported_error(fmt::format("expected 1 to {} teams, found {}", most_teams, how.teams));
  const rung_facts& f = rungs[static_cast<std::size_t>(how.rung)];
  if (f.shape.covers != keeping::part && !how.keeps_all)
    throw unsupported_error(
        fmt::format("rung {} is for plans that keep everything (up to {} rows a team, columns of "
                    "{} bits{}), but "
                    "policy '{}' does not",
                    how.rung, f.shape.slots * f.shape.lanes, f.shape.wide ? 32 : 16,
                    f.shape.covers == keeping::windows ? ", one cluster" : "", how.policy));
  if (f.scratch_bytes + scratch > device.shared_per_team && scratch > 0)
    throw unsupported_error(
        fmt::format("policy '{}' asks for {} bytes of shared memory per block, but {} has {}",
                    how.policy, f.scratch_bytes + scratch, device.name, device.shared_per_team));
  if (!v.resident || v.on == backend::cpu) return;
  if (!device.cooperative_launch)
    throw unsupported_error(
        fmt::format("executor '{}' needs cooperative launches, which {} does not have", v.executor,
                    device.name));
  if (how.teams > f.max_teams)
    throw unsupported_error(
        fmt::format("executor '{}' needs all its {} blocks on the device together, but {} of {} "
                    "threads and {} registers each are the most that fit",
                    v.executor, how.teams, f.max_teams, f.shape.lanes, f.registers));
}

}  // namespace dwell
