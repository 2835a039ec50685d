// SPDX-License-Identifier: MIT
// Facts of compiled kernels, and the check of a plan.
#include "dwell/execution/stencil/plan/planning.hpp"

#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/kernel_facts.hpp"

namespace dwell {

namespace {

/// What plans are made with where the device is not asked: what is kept of the kernel, as it was
/// found when it was loaded there before, else what it is written for.
engine_facts known(const stencil_kernel& v, const device_facts& device, int config) {
  const engine_facts assumed = v.assume(device, config);
  if (v.on == backend::cpu || !v.needs || assumed.max_teams == 0) return assumed;
  const needed_kernel k = bare_kernel(v, config, false);
  const auto kept = kept_facts(k.sources.back(), {device.compute_capability, cuda_driver_major()},
                               {device.name, k.lanes, k.scratch});
  if (!kept) return assumed;
  return {assumed.engine, kept->registers, kept->spill_bytes, kept->teams_per_unit * device.units,
          k.scratch};
}

}  // namespace

needed_kernel bare_kernel(const stencil_kernel& v, int config, bool has_source) {
  stencil_plan bare;
  bare.config = config;
  return v.needs(bare, has_source);
}

std::vector<engine_facts> kernels_of(const stencil_kernel& v, const plan_target& target) {
  std::vector<engine_facts> kernels;
  for (int r = 0; r < static_cast<int>(v.engines.size()); ++r)
    kernels.push_back(target.here && v.compiled_ahead() ? v.probe(*target.here, r)
                                                        : known(v, target.facts, r));
  return kernels;
}

void check_plan(const stencil_kernel& v, const device& where, const stencil_plan& how,
                bool has_source) {
  if (how.config < 0 || how.config >= static_cast<int>(v.engines.size()))
    throw unsupported_error(
        fmt::format("expected a config from 0 to {}, found {}", v.engines.size() - 1, how.config));
  constexpr int most_teams = 1 << 30;
  if (how.teams < 1 || how.teams > most_teams)
    throw unsupported_error(fmt::format("expected 1 to {} teams, found {}", most_teams, how.teams));
  if (!v.cooperative || v.on == backend::cpu) return;
  const engine_facts f =
      v.compiled_ahead() ? v.probe(where, how.config) : probe_needed(v, how, has_source, where);
  if (how.teams > f.max_teams)
    throw unsupported_error(fmt::format(
        "executor '{}' needs all its {} blocks on the device together, but {} of {} threads, {} "
        "registers and {} bytes of shared memory each are the most that fit",
        v.executor, how.teams, f.max_teams, f.engine->shape().lanes, f.registers, f.scratch_bytes));
}

}  // namespace dwell
