// SPDX-License-Identifier: MIT
// See decision.hpp.
#include "dwell/solvers/stencil/decision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/execution/core/sweep_run.hpp"
#include "dwell/execution/policies/sweep_keep.hpp"
#include "dwell/execution/policies/sweep_none.hpp"
#include "dwell/formats/error.hpp"

namespace dwell {
namespace {

/// Plans in the order in which they promise speed.
std::vector<sweep_choice> possible_plans(const stencil_options& o,
                                         const sweep_problem_facts& problem, const sweep_variant& v,
                                         const device& where, const device_facts& facts) {
  std::vector<sweep_rung_facts> rungs;
  for (int r = 0; r < static_cast<int>(v.rungs.size()); ++r) rungs.push_back(v.probe(where, r));
  if (v.rungs[0].keeps) return policies::sweep_candidates(problem, wish_of(o), rungs, facts);
  if (o.policy != "auto" && o.policy != "none")
    throw unsupported_error(fmt::format(
        "policy '{}': executor '{}' keeps nothing on the chip (perks does)", o.policy, v.executor));
  if (const auto wish = wish_for_tiles(o); !wish.empty())
    throw unsupported_error(
        fmt::format("{}: executor '{}' has no tiles that stay (perks has)", wish, v.executor));
  return {policies::sweep_none(problem, v.resident, rungs, facts, o.teams)};
}

std::string us_text(double seconds) {
  return fmt::format("{:.{}f}", seconds * 1e6, seconds < 10e-6 ? 2 : seconds < 100e-6 ? 1 : 0);
}

}  // namespace

sweep_problem_facts problem_of(const stencil_shape& shape, const extents& size,
                               std::size_t scalar_bytes, boundary edge, bool source) {
  if (size.dims != shape.dims)
    throw input_error(fmt::format("size: {} works on {} dimensions, found {}", shape.name,
                                  shape.dims, to_string(size)));
  return {size,         inner_box(size, shape.radius),
          shape.radius, scalar_bytes,
          edge,         shape.flops,
          source,       shape.star(),
          shape.linear};
}

sweep_wish wish_of(const stencil_options& o) {
  return {o.policy, o.teams, o.depth, parse_traversal(o.traversal), parse_passing(o.blocking)};
}

std::string wish_for_tiles(const stencil_options& o) {
  if (o.depth > 0) return fmt::format("depth {}", o.depth);
  if (o.blocking != "auto") return fmt::format("blocking '{}'", o.blocking);
  if (o.traversal != "auto") return fmt::format("traversal '{}'", o.traversal);
  return {};
}

decision decide(std::span<const sweep_variant> table, const stencil_options& o, precision type,
                const device& where, const device_facts& facts,
                const sweep_problem_facts& problem) {
  const auto with = [&](const char* executor, const std::string& why) {
    const auto& v = find_variant(table, o.shape, executor, type, where.on());
    return decision{&v, possible_plans(o, problem, v, where, facts), why};
  };
  if (o.executor != "auto") return with(o.executor.c_str(), "as asked");
  if (!wish_for_tiles(o).empty()) return with("perks", "only it has what is asked for");
  if (facts.on == backend::cpu && (o.policy == "auto" || o.policy == "none"))
    return with("persistent", "one start of the threads for the whole run");
  if (o.policy != "auto" && o.policy != "none")
    return with("perks", "no other executor keeps anything on the chip");
  decision launched = with("graph", "launches from a graph cost less than grid barriers");
  if (!facts.cooperative_launch || o.policy != "auto") return launched;
  try {
    decision kept = with("perks", "");
    const double perks_s = kept.plans.front().projected.seconds;
    const sweep_choice& each = launched.plans.front();
    const auto rung = static_cast<std::size_t>(each.plan.rung);
    const double graph_s =
        policies::time_of_launches(problem, each, launched.variant->rungs[rung], facts).seconds;
    decision& taken = perks_s < graph_s ? kept : launched;
    taken.why = fmt::format("projected {} us a step, {} {}", us_text(std::min(perks_s, graph_s)),
                            us_text(std::max(perks_s, graph_s)),
                            perks_s < graph_s ? "by launches from a graph" : "under perks");
    return taken;
  } catch (const unsupported_error& e) {  // no tiling
    launched.why += fmt::format(" ({})", e.what());
  }
  return launched;
}

}  // namespace dwell
