// SPDX-License-Identifier: MIT
// Facts of compiled kernels, and the check of a plan.
#include "dwell/execution/stencil/plan/planning.hpp"

#include <fmt/format.h>

#include "dwell/base/error.hpp"

namespace dwell {

std::vector<engine_facts> kernels_of(const stencil_kernel& v, const plan_target& target) {
  std::vector<engine_facts> kernels;
  for (int r = 0; r < static_cast<int>(v.engines.size()); ++r)
    kernels.push_back(target.here && v.compiled_ahead() ? v.probe(*target.here, r)
                                                        : v.assume(target.facts, r));
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
