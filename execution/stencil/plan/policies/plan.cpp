// SPDX-License-Identifier: MIT
// Goes through tilings, depths and orders, and keeps the best of each config.
#include "dwell/execution/stencil/plan/policies/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/plan/field_time.hpp"
#include "dwell/execution/stencil/plan/policies/none.hpp"
#include "dwell/execution/stencil/plan/policies/refusals.hpp"
#include "dwell/execution/stencil/plan/policies/table.hpp"

namespace dwell::policies {
namespace {

/// The best plan of each config and depth.
class shortlist {
 public:
  explicit shortlist(bool most_teams) : most_teams_(most_teams) {}

  void consider(const std::optional<stencil_candidate>& c) {
    if (!c) return;
    const auto [at, added] = best_.try_emplace({c->plan.config, c->plan.depth}, *c);
    if (!added && before(*c, at->second)) at->second = *c;
  }
  std::vector<stencil_candidate> ranked() const {
    std::vector<stencil_candidate> all;
    for (const auto& [key, c] : best_) all.push_back(c);
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& a, const auto& b) { return before(a, b); });
    return all;
  }

 private:
  /// A request for so many teams comes before speed.
  bool before(const stencil_candidate& a, const stencil_candidate& b) const {
    if (most_teams_ && a.plan.teams != b.plan.teams) return a.plan.teams > b.plan.teams;
    return a.time.seconds < b.time.seconds;
  }
  bool most_teams_;
  std::map<std::pair<int, int>, stencil_candidate> best_;
};

/// The most teams that a plan may have.
int team_limit(const stencil_problem& problem, const stencil_plan_request& request,
               const engine_shape& r, const device_facts& device) {
  if (request.teams > 0) return request.teams;
  if (device.on != backend::cpu) return device.units;
  // Threads may share a core: enough of them for the whole field.
  const bool solid = problem.size.dims == 3;
  const int across = pieces(problem.size.x, 32 * r.across - (solid ? 0 : 2 * problem.radius));
  if (!solid) return std::max(device.units, across);
  // A team of a least takes at least 48 x 24 columns of the field.
  const int least = pieces(problem.size.x, 48) * pieces(problem.size.y, 24);
  return std::max({device.units, across * pieces(problem.size.y, r.lanes / 32 * r.down), least});
}

/// What scratch is on a device.
const char* scratch_name(const device_facts& d) {
  return d.on == backend::cpu ? "private memory" : "shared memory";
}

/// Why a plan caches nothing under a policy that asks for something; empty if it caches something,
/// or if nothing was one of the policy's choices.
std::string idle_of(const stencil_plan& p, const engine_shape& r,
                    std::span<const cache_permission> may, const stencil_problem& problem,
                    const char* scratch) {
  if (may.size() > 1 || !(may[0].registers || may[0].scratch)) return {};
  if (r.register_rows + p.scratch_rows > 0) return {};
  if (!may[0].scratch)
    return r.temporal ? "nothing can be cached: registers hold the steps of a pass"
                      : "nothing is cached: the kernel that suits this field best has no rows in "
                        "registers";
  if (problem.size.dims == 2 && r.temporal && p.streamed_rows <= 2 * p.depth * problem.radius)
    return fmt::format(
        "nothing can be cached in {} with these tiles: neighbours need all rows of a warp",
        scratch);
  return fmt::format("nothing can be cached in {} with these tiles: what streams takes all of it",
                     scratch);
}

/// The depths of exchanges that are tried.
std::vector<int> depths(const stencil_engine& engine, const stencil_problem& problem, int asked) {
  const int most = engine.most_depth(problem);
  if (asked > most) return {};
  if (asked > 0) return {asked};
  if (engine.shape().temporal) return {most};
  std::vector<int> all = {1, 2, 3, 4, 6, 8, 12, 16};
  std::erase_if(all, [&](int depth) { return depth > most; });
  return all;
}

/// f(tiling) for all ways to divide the field among at most so many teams, each of which has one
/// subdomain, or one for each of its warps.
template <class F>
void each_division(tiling_request asked, int teams, int warps, bool solid, const F& f) {
  const int most = teams * warps;
  asked.teams = teams;
  for (int x = 1; x <= most; ++x)
    for (int y = 1; y <= most / x; ++y)
      for (int z = 1; z <= (solid ? most / x / y : 1); ++z) {
        asked.subdomains_z = z;
        asked.subdomains_y = y;
        asked.subdomains_x = x;
        f(asked);
      }
}

/// The first kernels are those that cache subdomains; on a GPU those for steps of the whole field
/// follow.
std::size_t caching_count(std::span<const engine_facts> kernels) {
  const auto caches = [](const engine_facts& f) { return f.engine->shape().caches; };
  return static_cast<std::size_t>(std::count_if(kernels.begin(), kernels.end(), caches));
}
bool asks_for_tiles(const stencil_plan_request& request) {
  return request.teams > 0 || request.depth > 0 || request.order ||
         request.passes != passing::planned || request.engine != automatic;
}
bool sooner(const stencil_choice& a, const stencil_choice& b) {
  return a.projected.seconds < b.projected.seconds;
}

/// Steps of the whole field: what tiles are worth is over these. With a barrier after every step,
/// or with tiles that wait for those around them only, whichever is projected to be sooner. The
/// latter not where a team has so many tiles that one barrier takes less than the waits of each, a
/// border looks up neighbours anywhere, or tiles are thinner than a cell reaches, which shapes of
/// one's own may.
stencil_choice whole_steps(const stencil_problem& problem, const stencil_plan_request& request,
                           std::span<const engine_facts> kernels, std::size_t caching,
                           const device_facts& device) {
  const auto with = [&](bool dataflow) {
    const auto serves = [&](const engine_facts& f) {
      return f.engine->shape().tile_flags == dataflow;
    };
    const auto begin = kernels.begin() + static_cast<std::ptrdiff_t>(caching);
    const auto first = std::find_if(begin, kernels.end(), serves);
    stencil_choice c = plan_uncached(
        problem, true, {first, std::find_if_not(first, kernels.end(), serves)}, device);
    c.plan.config += static_cast<int>(first - kernels.begin());
    c.policy = request.policy;
    const stencil_engine& engine = *kernels[static_cast<std::size_t>(c.plan.config)].engine;
    c.projected = time_of_field(problem, device, c.plan, step_config_of(engine),
                                dataflow ? by_dataflow_tiles : by_staying_teams, c.projected);
    c.reason = "steps of the whole field, faster than cached tiles: " + c.reason;
    return c;
  };
  stencil_choice met = with(false);
  if (problem.edge != boundary::fixed) return met;
  stencil_choice by_dataflow = with(true);
  const stencil_plan& p = by_dataflow.plan;
  const int thinnest = std::min({p.tile_x, p.tile_y, problem.size.dims == 3 ? p.tile_z : p.tile_y});
  const bool waits = p.tiles() > std::int64_t{12} * p.teams || thinnest < problem.radius;
  return waits || sooner(met, by_dataflow) ? met : by_dataflow;
}

}  // namespace

std::vector<stencil_choice> stencil_candidates(const stencil_problem& problem,
                                               const stencil_plan_request& request,
                                               std::span<const engine_facts> all_kernels,
                                               const device_facts& device) {
  const auto may = find_stencil_policy(request.policy).may;
  const auto kernels = all_kernels.first(caching_count(all_kernels));
  refuse_impossible(problem, request, kernels);
  const bool solid = problem.size.dims == 3;
  const int most = team_limit(problem, request, kernels[0].engine->shape(), device);
  // In two dimensions most shapes have a kernel with rows in registers and others.
  const bool mixed = !solid && std::any_of(kernels.begin(), kernels.end(),
                                           [](const auto& f) { return f.engine->shape().partly; });
  const stencil_rates rates(problem, device);
  shortlist best(request.teams > 0);
  layout_obstacles met;
  for (const cache_permission& m : may)
    for (int config = 0; config < static_cast<int>(kernels.size()); ++config) {
      const engine_facts& kernel = kernels[static_cast<std::size_t>(config)];
      const stencil_engine& engine = *kernel.engine;
      if (!request.takes(engine.name()) || !engine.serves(problem, {request, m, mixed})) continue;
      const layout_problem on{problem, device, rates, kernel.scratch_bytes};
      for (const int depth : depths(engine, problem, request.depth)) {
        met.subdomain(engine.most_of_layer(problem, depth), engine.shape().temporal);
        each_division({.depth = depth, .may = m, .order = request.order}, most,
                      engine.shape().subdomains_per_team, solid, [&](const tiling_request& t) {
                        layout_result laid = engine.lay_out(t, on);
                        if (laid.candidate) laid.candidate->plan.config = config;
                        best.consider(laid.candidate);
                        met.meet(laid);
                      });
      }
    }
  std::vector<stencil_choice> all;
  const char* scratch = scratch_name(device);
  for (const stencil_candidate& c : best.ranked()) {
    const stencil_engine& engine = *kernels[static_cast<std::size_t>(c.plan.config)].engine;
    if (all.empty()) refuse_idle_order(problem, request, c.plan, engine, scratch);
    if (request.order && c.plan.streamed_rows == 0) continue;
    const auto idle = idle_of(c.plan, engine.shape(), may, problem, scratch);
    all.push_back(
        {c.plan, device.on == backend::cpu ? stencil_projection{} : c.time, request.policy,
         engine.describe(c.plan, problem, scratch) + (idle.empty() ? "" : "; " + idle), idle});
  }
  if (all.empty()) throw unsupported_error(met.text(problem, request, most, scratch));
  if (kernels.size() < all_kernels.size() && may.size() > 1 && !asks_for_tiles(request)) {
    const stencil_choice plain = whole_steps(problem, request, all_kernels, kernels.size(), device);
    all.insert(std::upper_bound(all.begin(), all.end(), plain, sooner), plain);
  }
  return all;
}

}  // namespace dwell::policies
