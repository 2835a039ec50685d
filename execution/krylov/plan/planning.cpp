// SPDX-License-Identifier: MIT
// What kernels say of themselves, and the refusal of plans that do not fit.
#include "dwell/execution/krylov/plan/planning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dwell {

void refuse_to_try(const named_policy& policy) {
  throw unsupported_error(fmt::format(
      "policy '{}' tries plans on the device, and nothing is run here: expected one of {}",
      policy.name, fmt::join(planning_policies(), ", ")));
}

void check_caches_nothing(const program_kernel& v, const std::string& policy) {
  if (asks_to_cache(policy))
    throw unsupported_error(
        fmt::format("executor '{}' caches nothing on the chip: expected policy {}, found '{}' "
                    "(executor {} has policies)",
                    v.executor, nothing_cached, policy, executors::perks.name));
}

void check_config(int asked, std::size_t configs) {
  if (asked < -1 || asked >= static_cast<int>(configs))
    throw unsupported_error(
        fmt::format("expected a config from 0 to {}, found {}", configs - 1, asked));
}

std::span<const program_kernel> kernels_for(const plan_target& target) {
  return target.here || target.on() == backend::cpu ? program_kernels() : planned_program_kernels();
}

std::vector<config_facts> configs_of(const program_kernel& v, const plan_target& target) {
  std::vector<config_facts> configs;
  for (int r = 0; r < static_cast<int>(v.configs.size()); ++r)
    configs.push_back(v.assume(target.facts, r));
  return configs;
}

config_facts config_on(const program_kernel& v, const plan_target& target, int config) {
  return target.here && v.compiled_ahead() ? v.probe(*target.here, config)
                                           : v.assume(target.facts, config);
}

std::span<const config_facts> offered_configs(std::span<const config_facts> all, int asked) {
  return asked < 0 ? all : all.subspan(static_cast<std::size_t>(asked), 1);
}

plan signed_plan(plan how, const named_policy& policy, int asked_config) {
  if (asked_config >= 0) how.config = asked_config;
  how.policy = policy.name;
  if (how.chosen.empty()) how.chosen = policy.name;
  return how;
}

plan plan_of(const named_policy& policy, const program_facts& facts,
             std::span<const config_facts> all, int asked_config, const device_facts& device) {
  return signed_plan(policy.choose(facts, offered_configs(all, asked_config), device), policy,
                     asked_config);
}

void check_plan(const program_kernel& v, const plan& how, std::span<const config_facts> configs,
                std::size_t scratch, const device_facts& device) {
  constexpr int most_teams = 1 << 16;
  if (!v.alone && (how.teams < 1 || how.teams > most_teams))
    throw unsupported_error(fmt::format("expected 1 to {} teams, found {}", most_teams, how.teams));
  if (how.config < 0 || how.config >= static_cast<int>(configs.size()))
    throw unsupported_error(fmt::format("expected a config from 0 to {}, found {} by policy '{}'",
                                        configs.size() - 1, how.config, how.policy));
  const config_facts& f = configs[static_cast<std::size_t>(how.config)];
  if (f.shape.assumes != caching::part && !how.fully_cached)
    throw unsupported_error(fmt::format(
        "config {} is for plans that cache everything (up to {} rows a team, columns of "
        "{} bits{}), but "
        "policy '{}' does not",
        how.config, f.shape.slots * f.shape.lanes, f.shape.wide ? 32 : 16,
        f.shape.assumes == caching::ghosts ? ", one cluster" : "", how.policy));
  if (f.scratch_bytes + scratch > device.shared_per_team && scratch > 0)
    throw unsupported_error(
        fmt::format("policy '{}' asks for {} bytes of shared memory per block, but {} has {}",
                    how.policy, f.scratch_bytes + scratch, device.name, device.shared_per_team));
  if (!v.cooperative || v.on == backend::cpu) return;
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
