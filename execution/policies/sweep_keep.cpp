// SPDX-License-Identifier: MIT
// See sweep_keep.hpp.
#include "dwell/execution/policies/sweep_keep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "dwell/execution/policies/sweep_clock.hpp"
#include "dwell/execution/policies/sweep_layout.hpp"
#include "dwell/execution/policies/sweep_none.hpp"
#include "dwell/execution/policies/sweep_refusals.hpp"
#include "dwell/execution/policies/sweep_shares.hpp"
#include "dwell/execution/policies/sweep_table.hpp"
#include "dwell/formats/error.hpp"

namespace dwell::policies {
namespace {

/// Of plans that differ in their rung or depth the best one each.
class shortlist {
 public:
  explicit shortlist(bool most_teams) : most_teams_(most_teams) {}

  void consider(const std::optional<sweep_candidate>& c) {
    if (!c) return;
    const auto [at, added] = best_.try_emplace({c->plan.rung, c->plan.depth}, *c);
    if (!added && before(*c, at->second)) at->second = *c;
  }
  std::vector<sweep_candidate> ranked() const {
    std::vector<sweep_candidate> all;
    for (const auto& [key, c] : best_) all.push_back(c);
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& a, const auto& b) { return before(a, b); });
    return all;
  }

 private:
  /// A wish for so many teams comes before speed.
  bool before(const sweep_candidate& a, const sweep_candidate& b) const {
    if (most_teams_ && a.plan.teams != b.plan.teams) return a.plan.teams > b.plan.teams;
    return a.time.seconds < b.time.seconds;
  }
  bool most_teams_;
  std::map<std::pair<int, int>, sweep_candidate> best_;
};

/// The most teams that a plan may have.
int team_limit(const sweep_problem_facts& problem, const sweep_wish& wish, const sweep_rung& r,
               const device_facts& device) {
  if (wish.teams > 0) return wish.teams;
  if (device.on != backend::cpu) return device.units;
  // Threads may share a core: enough of them for the whole field.
  const bool solid = problem.size.dims == 3;
  const int across = pieces(problem.size.x, 32 * r.across - (solid ? 0 : 2 * problem.radius));
  if (!solid) return std::max(device.units, across);
  // A team of a wave takes at least 48 x 24 columns of the field.
  const int wave = pieces(problem.size.x, 48) * pieces(problem.size.y, 24);
  return std::max({device.units, across * pieces(problem.size.y, r.lanes / 32 * r.down), wave});
}

/// What scratch is on a device.
const char* scratch_name(const device_facts& d) {
  return d.on == backend::cpu ? "private memory" : "shared memory";
}

/// Why a plan keeps nothing under a policy that asks for something; empty if it keeps something, or
/// if nothing was one of the policy's choices.
std::string idle_of(const sweep_plan& p, const sweep_rung& r, std::span<const sweep_permission> may,
                    const sweep_problem_facts& problem, const char* scratch) {
  if (may.size() > 1 || !(may[0].registers || may[0].scratch)) return {};
  if (r.register_rows + p.scratch_rows > 0) return {};
  if (!may[0].scratch)
    return r.levels > 0
               ? "nothing can be kept: registers hold the steps of a pass"
               : "nothing is kept: the kernel that suits this field best has no rows in registers";
  if (problem.size.dims == 2 && r.levels > 0 && p.streamed_rows <= 2 * p.depth * problem.radius)
    return fmt::format(
        "nothing can be kept in {} with these tiles: neighbours need all rows of a warp", scratch);
  return fmt::format("nothing can be kept in {} with these tiles: what streams takes all of it",
                     scratch);
}

std::string reason_of(const sweep_plan& p, const sweep_rung& r, const sweep_problem_facts& problem,
                      const char* scratch) {
  const bool solid = problem.size.dims == 3;
  const auto kept = fmt::format("{} in registers, {} in {}, {} streamed", r.register_rows,
                                p.scratch_rows, scratch, p.streamed_rows);
  if (solid && r.levels > 0)
    return fmt::format("{} x {} x {} bricks, planes: {}; {} in one pass", p.shares_z, p.shares_y,
                       p.shares_x, kept, steps_text(p.depth));
  const std::string in_order = shares_of(p, r, problem).order;
  const auto order = in_order.empty() ? "" : ", " + in_order;
  if (solid)
    return fmt::format("{} x {} x {} bricks, planes: {}{}", p.shares_z, p.shares_y, p.shares_x,
                       kept, order);
  if (r.levels > 0)
    return fmt::format("{} x {} tiles of a warp each, rows: {}; {} in one pass", p.shares_y,
                       p.shares_x, kept, steps_text(p.depth));
  if (r.warp_shares)
    return fmt::format("{} x {} tiles of a warp each, rows: {}", p.shares_y, p.shares_x, kept);
  return fmt::format("{} x {} tiles, rows per warp: {}{}; {} between exchanges", p.shares_y,
                     p.shares_x, kept, order, steps_text(p.depth));
}

/// Whether plans of this rung are looked at.
bool serves(const sweep_rung& r, const sweep_problem_facts& problem, const sweep_wish& wish,
            const sweep_permission& may, bool mixed) {
  const bool keeps = r.register_rows > 0, registers = may.registers;
  if (problem.source && !r.source) return false;
  if (keeps && !registers) return false;
  if (r.warp_shares && (wish.order || !may.scratch)) return false;  // of which nothing streams
  // An order is asked for of rows that stream once per step, and waves leave no registers for rows.
  if (r.levels > 0)
    return wish.passes != passing::spatial && !wish.order &&
           (!registers || wish.passes == passing::temporal);
  // Kernels that know more orders than one are the slower ones in three dimensions.
  const bool turns = wish.order.value_or(traversal::fixed) != traversal::fixed;
  if (r.rest && r.orders != turns && (turns || problem.size.dims == 3)) return false;
  // A brick may be too thin for the planes in registers, and not every rung takes a source.
  if (!keeps && registers && mixed && !problem.source) return false;
  return wish.passes != passing::temporal;
}

/// Those of them that are tried.
std::vector<int> depths(const sweep_rung& r, const sweep_problem_facts& problem, int asked) {
  const int most = most_depth(r, problem);
  if (asked > most) return {};
  if (asked > 0) return {asked};
  if (r.levels > 0) return {most};
  std::vector<int> all = {1, 2, 3, 4, 6, 8, 12, 16};
  std::erase_if(all, [&](int depth) { return depth > most; });
  return all;
}

/// f(tiling) for all ways to divide the field among at most so many teams, each of which has one
/// share, or one for each of its warps.
template <class F>
void each_division(sweep_tiling asked, int teams, int warps, bool solid, const F& f) {
  const int most = teams * warps;
  asked.teams = teams;
  for (int x = 1; x <= most; ++x)
    for (int y = 1; y <= most / x; ++y)
      for (int z = 1; z <= (solid ? most / x / y : 1); ++z) {
        asked.shares_z = z;
        asked.shares_y = y;
        asked.shares_x = x;
        f(asked);
      }
}

/// The first rungs are those that keep tiles; on a GPU those for steps of the whole field follow.
std::size_t keeping_rungs(std::span<const sweep_rung_facts> rungs) {
  const auto keeps = [](const sweep_rung_facts& f) { return f.shape.keeps; };
  return static_cast<std::size_t>(std::count_if(rungs.begin(), rungs.end(), keeps));
}
bool asks_for_tiles(const sweep_wish& wish) {
  return wish.teams > 0 || wish.depth > 0 || wish.order || wish.passes != passing::planned;
}
bool sooner(const sweep_choice& a, const sweep_choice& b) {
  return a.projected.seconds < b.projected.seconds;
}

/// Steps of the whole field: what tiles are worth is over these. With a meeting after every step,
/// or with tiles that wait for those around them only, whichever is projected to be sooner. The
/// latter not where a team has so many tiles that one meeting takes less than the waits of each, a
/// border looks up neighbours anywhere, or tiles are thinner than a cell reaches, which shapes of
/// one's own may.
sweep_choice whole_steps(const sweep_problem_facts& problem, const sweep_wish& wish,
                         std::span<const sweep_rung_facts> rungs, std::size_t keeping,
                         const device_facts& device) {
  const sweep_clock clock(problem, device);
  const auto with = [&](bool flows) {
    const auto serves = [&](const sweep_rung_facts& f) { return f.shape.flows == flows; };
    const auto begin = rungs.begin() + static_cast<std::ptrdiff_t>(keeping);
    const auto first = std::find_if(begin, rungs.end(), serves);
    sweep_choice c =
        sweep_none(problem, true, {first, std::find_if_not(first, rungs.end(), serves)}, device);
    c.plan.rung += static_cast<int>(first - rungs.begin());
    c.policy = wish.policy;
    c.projected = clock.step_of_field(c.plan, rungs[static_cast<std::size_t>(c.plan.rung)].shape,
                                      flows ? by_flowing_tiles : by_staying_teams, c.projected);
    c.reason = "steps of the whole field, faster than tiles that stay: " + c.reason;
    return c;
  };
  sweep_choice met = with(false);
  if (problem.edge != boundary::fixed) return met;
  sweep_choice flowing = with(true);
  const sweep_plan& p = flowing.plan;
  const int thinnest = std::min({p.tile_x, p.tile_y, problem.size.dims == 3 ? p.tile_z : p.tile_y});
  const bool waits = p.tiles() > std::int64_t{12} * p.teams || thinnest < problem.radius;
  return waits || sooner(met, flowing) ? met : flowing;
}

}  // namespace

std::vector<sweep_choice> sweep_candidates(const sweep_problem_facts& problem,
                                           const sweep_wish& wish,
                                           std::span<const sweep_rung_facts> all_rungs,
                                           const device_facts& device) {
  const auto may = permissions_of(wish.policy);
  const auto rungs = all_rungs.first(keeping_rungs(all_rungs));
  refuse_impossible(problem, wish, rungs);
  const bool solid = problem.size.dims == 3;
  const int most = team_limit(problem, wish, rungs[0].shape, device);
  // In two dimensions most shapes have a rung with rows in registers and others.
  const bool mixed = !solid && std::any_of(rungs.begin(), rungs.end(), [](const auto& f) {
    return f.shape.register_rows > 0 && f.shape.rest;
  });
  const sweep_layout layout(problem, rungs, device);
  shortlist best(wish.teams > 0);
  sweep_obstacles met;
  for (const sweep_permission& m : may)
    for (int rung = 0; rung < static_cast<int>(rungs.size()); ++rung) {
      const sweep_rung& r = rungs[static_cast<std::size_t>(rung)].shape;
      if (!serves(r, problem, wish, m, mixed)) continue;
      const int warps = (r.levels > 0 && !solid) || r.warp_shares ? r.lanes / 32 : 1;
      for (const int depth : depths(r, problem, wish.depth)) {
        met.share(layout.most_of_layer(rung, depth), r.levels > 0);
        each_division({.rung = rung, .depth = depth, .may = m, .order = wish.order}, most, warps,
                      solid, [&](const sweep_tiling& t) {
                        const sweep_laid laid = layout.of(t);
                        best.consider(laid.candidate);
                        met.meet(laid);
                      });
      }
    }
  std::vector<sweep_choice> all;
  const char* scratch = scratch_name(device);
  for (const sweep_candidate& c : best.ranked()) {
    const sweep_rung& r = rungs[static_cast<std::size_t>(c.plan.rung)].shape;
    if (all.empty()) refuse_idle_order(problem, wish, c.plan, r, scratch);
    if (wish.order && c.plan.streamed_rows == 0) continue;
    const auto idle = idle_of(c.plan, r, may, problem, scratch);
    all.push_back({c.plan, device.on == backend::cpu ? sweep_projection{} : c.time, wish.policy,
                   reason_of(c.plan, r, problem, scratch) + (idle.empty() ? "" : "; " + idle),
                   idle});
  }
  if (all.empty()) throw unsupported_error(met.text(problem, wish, most, scratch));
  if (rungs.size() < all_rungs.size() && may.size() > 1 && !asks_for_tiles(wish)) {
    const sweep_choice plain = whole_steps(problem, wish, all_rungs, rungs.size(), device);
    all.insert(std::upper_bound(all.begin(), all.end(), plain, sooner), plain);
  }
  return all;
}

}  // namespace dwell::policies
