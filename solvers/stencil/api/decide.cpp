// SPDX-License-Identifier: MIT
// Chooses executor and kernel by what the plans promise.
#include "dwell/solvers/stencil/api/decide.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/launch/run.hpp"
#include "dwell/execution/stencil/order/cell_order.hpp"
#include "dwell/execution/stencil/plan/planning.hpp"
#include "dwell/execution/stencil/plan/policies/none.hpp"
#include "dwell/execution/stencil/plan/policies/passes.hpp"
#include "dwell/execution/stencil/plan/policies/plan.hpp"
#include "dwell/execution/stencil/plan/policies/table.hpp"

namespace dwell {
namespace {

/// What is asked of the order of cells. Throws unsupported_error if the executor has its own.
std::optional<cell_order> order_for(const stencil_options& o, const stencil_request& q,
                                    std::string_view executor) {
  const auto cells = parse_cell_order(o.order, q.problem.size.dims);
  if (!cells || has_whole_steps(executor)) return cells;
  std::vector<std::string_view> others;
  for (const executor_info& e : executors::all)
    if (has_whole_steps(e.name)) others.emplace_back(e.name);
  throw unsupported_error(
      fmt::format("order '{}': executor '{}' takes cells in an order of its own (any order: {})",
                  o.order, executor, fmt::join(others, ", ")));
}

/// Plans in the order in which they promise speed.
std::vector<stencil_choice> possible_plans(const stencil_request& q, const stencil_options& o,
                                           const stencil_kernel& v,
                                           std::span<const engine_facts> kernels) {
  const auto cells = order_for(o, q, v.executor);
  if (v.engines[0]->shape().caches)
    return policies::stencil_candidates(q.problem, request_of(o), kernels, q.target.facts);
  if (asks_to_cache(o.policy))
    throw unsupported_error(
        fmt::format("policy '{}': executor '{}' caches nothing on the chip ({} does)", o.policy,
                    v.executor, executors::perks.name));
  if (v.engines[0]->shape().temporal) {
    if (o.traversal != automatic || o.blocking == "spatial")
      throw unsupported_error(
          fmt::format("executor '{}': expected traversal auto and blocking "
                      "temporal, found traversal {} and blocking {}",
                      v.executor, o.traversal, o.blocking));
    return policies::plan_passes(q.problem, request_of(o), kernels, q.target.facts);
  }
  if (const auto request = request_for_tiles(o); !request.empty())
    throw unsupported_error(fmt::format("{}: executor '{}' has no cached tiles ({} has)", request,
                                        v.executor, executors::perks.name));
  return {
      policies::plan_uncached(q.problem, v.cooperative, kernels, q.target.facts, o.teams, cells)};
}

bool has_engine(const stencil_kernel& v, std::string_view name) {
  return std::any_of(v.engines.begin(), v.engines.end(),
                     [&](const stencil_engine* e) { return e->name() == name; });
}
void require_engine(const stencil_kernel& v, const std::string& name) {
  if (has_engine(v, name)) return;
  std::string others;
  for (const stencil_engine* e : v.engines)
    if (others.find(e->name()) == std::string::npos)
      others += fmt::format("{}{}", others.empty() ? "" : ", ", e->name());
  throw unsupported_error(fmt::format("engine '{}': executor '{}' has {} for {}", name, v.executor,
                                      others, v.shape.name));
}

stencil_decision decide_on(const std::string& executor, const std::string& why,
                           const stencil_request& q, const stencil_options& o) {
  stencil_decision out;
  out.executor = executor;
  out.why = why;
  const stencil_kernel& v = find_kernel(q.table, o.shape, executor, q.type, q.target.on());
  out.kernel = &v;
  if (o.engine != automatic) require_engine(v, o.engine);
  out.kernels = kernels_of(v, q.target);
  out.plans = possible_plans(q, o, v, out.kernels);
  out.tries = v.engines[0]->shape().caches && policies::find_stencil_policy(o.policy).tries;
  return out;
}

/// Whether the cores of a CPU find both copies of a field in their caches, or nearly so
/// (docs/results/temporal-cpu.md).
bool stays_in_caches(const stencil_problem& problem, const device_facts& device) {
  constexpr double bytes_per_thread = 4 << 20;
  const auto bytes = static_cast<double>(2 * problem.size.cells() * problem.scalar_bytes);
  return bytes <= bytes_per_thread * device.units;
}

/// The first executor that has an engine.
executor_info executor_with(const std::string& engine, const stencil_request& q,
                            const stencil_options& o) {
  for (const executor_info& e : {executors::perks, executors::temporal, executors::persistent})
    if (has_kernel(q, o.shape, e.name) &&
        has_engine(find_kernel(q.table, o.shape, e.name, q.type, q.target.on()), engine))
      return e;
  throw unsupported_error(fmt::format("engine '{}': no executor has it for {} on {}", engine,
                                      o.shape, to_string(q.target.on())));
}

std::string us_text(double seconds) {
  return fmt::format("{:.{}f}", seconds * 1e6, seconds < 10e-6 ? 2 : seconds < 100e-6 ? 1 : 0);
}

/// A decision, and the projected seconds of a step.
struct promise {
  double seconds;
  stencil_decision made;
};

/// The one that takes least, with the times of the others.
stencil_decision least_of(std::vector<promise> all, const std::string& refusals) {
  std::stable_sort(all.begin(), all.end(),
                   [](const promise& a, const promise& b) { return a.seconds < b.seconds; });
  stencil_decision decision = std::move(all.front().made);
  if (all.size() == 1) {
    decision.why += refusals;
    return decision;
  }
  std::string others;
  for (std::size_t i = 1; i < all.size(); ++i)
    others += fmt::format("{} {} under {}", others.empty() ? "" : ",", us_text(all[i].seconds),
                          all[i].made.executor);
  decision.why = fmt::format("projected {} us a step,{}", us_text(all.front().seconds), others);
  return decision;
}

}  // namespace

stencil_problem problem_of(const stencil_shape& shape, const extents& size,
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

stencil_plan_request request_of(const stencil_options& o) {
  const int stretch = o.until ? std::min(o.check_every, o.steps) : o.steps;
  return {o.policy,
          o.teams,
          o.depth,
          parse_traversal(o.traversal),
          parse_passing(o.blocking),
          stretch,
          o.until.has_value(),
          o.engine};
}

bool has_kernel(const stencil_request& q, std::string_view shape, std::string_view executor) {
  return std::any_of(q.table.begin(), q.table.end(), [&](const stencil_kernel& v) {
    return v.shape.name == shape && v.executor == executor && v.type == q.type &&
           v.on == q.target.on();
  });
}

std::string request_for_tiles(const stencil_options& o) {
  if (o.depth > 0) return fmt::format("depth {}", o.depth);
  if (o.blocking != automatic) return fmt::format("blocking '{}'", o.blocking);
  if (o.traversal != automatic) return fmt::format("traversal '{}'", o.traversal);
  return {};
}

stencil_decision decide(const stencil_request& q, const stencil_options& o) {
  const device_facts& facts = q.target.facts;
  const auto with = [&](const executor_info& e, const std::string& why) {
    return decide_on(e.name, why, q, o);
  };
  if (o.executor != automatic) return decide_on(o.executor, "as asked", q, o);
  if (o.engine != automatic) return with(executor_with(o.engine, q, o), "it has that engine");
  if (!request_for_tiles(o).empty()) return with(executors::perks, "only it has what is asked for");
  if (o.order != automatic && !asks_to_cache(o.policy))
    return with(facts.on == backend::cpu ? executors::persistent : executors::graph,
                "steps of the whole field have the order that is asked for");
  if (facts.on == backend::cpu && !asks_to_cache(o.policy)) {
    if (!stays_in_caches(q.problem, facts) && has_kernel(q, o.shape, executors::temporal.name)) {
      stencil_decision passes = with(executors::temporal, "the field is larger than the caches");
      if (passes.plans.front().plan.depth > 1) return passes;
    }
    return with(executors::persistent, "one start of the threads for the whole run");
  }
  if (asks_to_cache(o.policy))
    return with(executors::perks, "no other executor caches anything on the chip");
  stencil_decision launched =
      with(executors::graph, "launches from a graph cost less than grid barriers");
  if (o.policy != automatic) return launched;
  const stencil_choice& each = launched.plans.front();
  const double launched_s =
      policies::time_of_launches(q.problem, each, *launched.facts_of(each.plan).engine, facts)
          .seconds;
  std::vector<promise> promises;
  promises.push_back({launched_s, std::move(launched)});
  std::string refusals;
  const auto try_executor = [&](const executor_info& e) {
    try {
      stencil_decision d = with(e, "");
      const double seconds = d.plans.front().projected.seconds;
      promises.push_back({seconds, std::move(d)});
    } catch (const unsupported_error& error) {
      refusals += fmt::format(" ({})", error.what());
    }
  };
  if (facts.cooperative_launch) try_executor(executors::perks);
  if (has_kernel(q, o.shape, executors::temporal.name)) try_executor(executors::temporal);
  return least_of(std::move(promises), refusals);
}

}  // namespace dwell
