// SPDX-License-Identifier: MIT
// Lays out passes for every kernel, and sorts them by projected time.
#include "dwell/execution/stencil/plan/policies/passes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/plan/layers.hpp"
#include "dwell/execution/stencil/plan/pass_capability.hpp"
#include "dwell/execution/stencil/plan/stencil_rates.hpp"

namespace dwell::policies {
namespace {

/// What no kernel of these can do, in one line.
[[noreturn]] void refuse_pass(const std::string& what) {
  throw unsupported_error(fmt::format("executor '{}': {}", executors::temporal.name, what));
}

void refuse_impossible_pass(const stencil_problem& problem, const stencil_plan_request& request,
                            std::span<const engine_facts> kernels, const device_facts& device) {
  if (std::all_of(kernels.begin(), kernels.end(), [](const auto& f) { return f.max_teams == 0; })) {
    if (device.compute_capability < least_passing_capability)
      refuse_pass("its kernels are for compute capability 8.0 and later");
    std::size_t least = kernels.front().scratch_bytes;
    for (const engine_facts& f : kernels) least = std::min(least, f.scratch_bytes);
    refuse_pass(fmt::format("its kernels need {} bytes of shared memory each or more", least));
  }
  int most = 0;
  for (const engine_facts& f : kernels)
    if (request.takes(f.engine->name())) most = std::max(most, f.engine->most_depth(problem));
  if (request.depth > most)
    refuse_pass(fmt::format("depth {}: a pass takes at most {} of this stencil{}", request.depth,
                            steps_text(most),
                            problem.edge == boundary::reflect ? " with boundary 'reflect'" : ""));
}

/// Where a run is tested or ends before a pass has made all of its steps, the last pass is shorter;
/// it takes less time, but not by as much. A test compares two steps, the last of which is a pass.
void shorten(stencil_projection& t, int depth, const stencil_plan_request& request) {
  const int alone = request.tested && depth > 1 ? 1 : 0, steps = request.stretch - alone;
  if (request.stretch <= 0) return;
  const auto pass = [&](int n) { return n > 0 ? 0.3 + 0.7 * n / depth : 0.0; };
  const double passes = steps / depth + pass(steps % depth) + pass(alone);
  t.seconds *= passes * depth / request.stretch;
}

}  // namespace

std::vector<stencil_choice> plan_passes(const stencil_problem& problem,
                                        const stencil_plan_request& request,
                                        std::span<const engine_facts> kernels,
                                        const device_facts& device) {
  refuse_impossible_pass(problem, request, kernels, device);
  const stencil_rates rates(problem, device);
  std::vector<stencil_choice> all;
  layout_obstacle met = layout_obstacle::subdomains;
  for (int config = 0; config < static_cast<int>(kernels.size()); ++config) {
    const engine_facts& kernel = kernels[static_cast<std::size_t>(config)];
    const stencil_engine& engine = *kernel.engine;
    if (kernel.max_teams == 0 || !request.takes(engine.name()) ||
        !engine.serves(problem, {request, {}}) || request.depth > engine.most_depth(problem))
      continue;
    tiling_request asked;
    asked.teams = request.teams > 0 ? request.teams : kernel.max_teams;
    asked.depth = request.depth;
    layout_result laid = engine.lay_out(asked, {problem, device, rates, kernel.scratch_bytes});
    if (!laid.candidate) {
      met = std::max(met, laid.obstacle);
      continue;
    }
    stencil_plan& p = laid.candidate->plan;
    p.config = config;
    shorten(laid.candidate->time, p.depth, request);
    all.push_back({p, device.on == backend::cpu ? stencil_projection{} : laid.candidate->time,
                   nothing_cached, engine.describe(p, problem, ""), ""});
  }
  if (all.empty() && met == layout_obstacle::subdomains)
    refuse_pass(fmt::format("depth {}: {} cells are too few for so many steps in a pass",
                            request.depth, to_string(problem.size)));
  if (all.empty())
    refuse_pass(
        fmt::format("rows of strips of {} cells cannot be numbered, or not divided among {} teams",
                    to_string(problem.size), request.teams));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.projected.seconds < b.projected.seconds;
  });
  return all;
}

}  // namespace dwell::policies
