// SPDX-License-Identifier: MIT
// Decisions in words, without a run: what decide() says to every policy and every executor.
#include "dwell/stencil/explain.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/plan/policies/none.hpp"
#include "dwell/execution/stencil/plan/policies/table.hpp"
#include "dwell/solvers/stencil/api/decide.hpp"

namespace dwell {
namespace {

/// Executors that cache nothing and have the shape, of which there is something to say.
std::vector<std::string> plain_executors(const stencil_request& q, std::string_view shape) {
  std::vector<std::string> names;
  for (const executor_info& e : executors::all)
    if (!e.caches && !e.reference && has_kernel(q, shape, e.name)) names.emplace_back(e.name);
  return names;
}

/// What is decided where executor and policy are asked for, in words.
class explainer {
 public:
  explainer(const stencil_request& q, const stencil_options& o) : request_(q), options_(o) {}

  stencil_policy_plan caching(const std::string& policy) const {
    stencil_options o = options_;
    o.executor = executors::perks.name;
    o.policy = policy;
    stencil_policy_plan out = plan(o, policy);
    if (!out.refusal.empty() || policy == automatic || !policies::find_stencil_policy(policy).tries)
      return out;
    // What such a policy would choose among: that there is something.
    stencil_policy_plan tried;
    tried.executor = out.executor;
    tried.policy = out.policy;
    tried.refusal = "known only by a run, which tries plans on the device";
    return tried;
  }
  stencil_policy_plan plain(const std::string& executor) const {
    stencil_options o;
    o.shape = options_.shape;
    o.edge = options_.edge;
    o.executor = executor;
    o.steps = options_.steps;
    o.until = options_.until;
    o.check_every = options_.check_every;
    o.order = executor == executors::temporal.name ? automatic : options_.order;
    stencil_policy_plan out = plan(o, "");
    out.roof = executor != executors::temporal.name;
    return out;
  }

 private:
  stencil_policy_plan plan(const stencil_options& o, const std::string& policy) const {
    stencil_policy_plan out;
    out.executor = o.executor;
    out.policy = policy;
    try {
      const stencil_decision decided = decide(request_, o);
      fill(out, decided.plans.front(), decided.kernels);
    } catch (const unsupported_error& e) {
      out.refusal = e.what();
    }
    return out;
  }

  void fill(stencil_policy_plan& out, const stencil_choice& c,
            const std::vector<engine_facts>& kernels) const {
    const stencil_plan& p = c.plan;
    const engine_facts& f = kernels[static_cast<std::size_t>(p.config)];
    const engine_shape& shape = f.engine->shape();
    out.engine = f.engine->name();
    if (has_whole_steps(out.executor)) out.order = to_string(p.cells);
    out.reason = c.reason;
    out.idle = c.idle;
    out.teams = p.teams;
    out.lanes = shape.lanes;
    out.registers = f.registers;
    out.spill_bytes = f.spill_bytes;
    set_projected(out, c.projected);
    const subdomain_facts subdomains = f.engine->subdomains(p, request_.problem);
    out.pass_steps = subdomains.pass_steps;
    out.streamed_bytes = streamed_bytes(out);
    if (p.subdomains_x == 0) return;
    out.tiles_along = subdomains.along;
    out.tile = subdomains.tile;
    out.of_warps = subdomains.of_warps;
    out.side_tiles = subdomains.side;
    out.depth = p.depth;
    out.halo = subdomains.halo;
    out.halo_computed = subdomains.halo_computed;
    out.register_rows = shape.register_rows;
    out.scratch_rows = p.scratch_rows;
    out.streamed_rows = p.streamed_rows;
    out.traversal = subdomains.order;
    const double cached = out.register_rows + out.scratch_rows;
    out.cached_rows = cached / std::max(1.0, cached + out.streamed_rows);
    out.streamed_bytes = streamed_bytes(out);
  }

  static void set_projected(stencil_policy_plan& out, const stencil_projection& t) {
    out.projected = {t.seconds, t.arithmetic, t.shared, t.l2, t.memory, t.exchange};
  }

  /// Bytes of the changing cells that do not stay, once in a pass, and of the source of all.
  double streamed_bytes(const stencil_policy_plan& p) const {
    const stencil_problem& f = request_.problem;
    const auto cells = changing_cells(f.size, f.inner, f.edge);
    return static_cast<double>(cells * f.scalar_bytes) *
           (2 * (1 - p.cached_rows) / p.pass_steps + (f.source ? 1 : 0));
  }

  const stencil_request& request_;
  const stencil_options& options_;
};

}  // namespace

std::string binding_part(const stencil_seconds& t) {
  const std::pair<double, const char*> parts[] = {{t.arithmetic, "arithmetic"},
                                                  {t.shared_memory, "shared memory"},
                                                  {t.l2, "L2"},
                                                  {t.device_memory, "device memory"},
                                                  {t.exchange, "exchange"}};
  const auto largest =
      std::max_element(std::begin(parts), std::end(parts),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
  return largest->first > 0 ? largest->second : "";
}

stencil_explanation explain(const extents& size, std::string_view precision_name,
                            const device_facts& device, const stencil_options& options,
                            bool source) {
  check_extents(size);
  if (precision_name != "f64" && precision_name != "f32")
    throw input_error(fmt::format("precision: expected f64 or f32, found '{}'", precision_name));
  const precision type = precision_name == "f64" ? precision::f64 : precision::f32;
  const stencil_shape shape = find_stencil_shape(options.shape);
  const std::size_t scalar_bytes = type == precision::f64 ? 8 : 4;
  const auto problem = problem_of(shape, size, scalar_bytes, options.edge, source);
  stencil_explanation out;
  out.device = device;
  const plan_target target = target_of(device);
  out.probed = target.here.has_value();
  out.projected = device.on == backend::cuda;
  out.shape = shape.name;
  out.precision = precision_name;
  out.radius = shape.radius;
  out.flops = shape.flops;
  out.edge = options.edge;
  out.source = source;
  out.size = size;
  out.changing_cells = changing_cells(size, problem.inner, options.edge);
  out.bytes_per_step = (source ? 3 : 2) * scalar_bytes * out.changing_cells;

  // A GPU that is not here needs no kernels: plans are the same whether CUDA is in the build.
  const auto table = out.probed ? stencil_kernels() : planned_stencil_kernels();
  const stencil_request request{table, type, target, problem};
  stencil_options open = options;
  open.executor = automatic;
  try {
    const stencil_decision decision = decide(request, open);
    out.executor = decision.executor;
    out.executor_reason = decision.why;
  } catch (const unsupported_error&) {  // said below, of perks
  }
  const explainer explained(request, options);
  const auto names = after_auto(built_stencil_policies());
  const auto asked = std::find(names.begin(), names.end(), options.policy);
  if (asked == names.end())
    throw input_error(fmt::format("policy: expected {}, found {}", fmt::join(names, ", "),
                                  found_word(options.policy, names)));
  out.chosen = static_cast<std::size_t>(asked - names.begin());
  for (const auto& policy : names) out.plans.push_back(explained.caching(policy));
  // What a policy that tries plans would choose among is what "auto" does.
  const bool some = out.plans.front().refusal.empty();
  const auto& chosen = out.plan();
  // Only perks has policies, and tiles that stay.
  const bool for_perks = options.policy != automatic || !request_for_tiles(options).empty();
  const bool tries = policies::find_stencil_policy(options.policy).tries;
  if (for_perks && !chosen.refusal.empty() && !(some && tries))
    throw unsupported_error(chosen.refusal);
  for (const auto& executor : plain_executors(request, shape.name))
    out.plans.push_back(explained.plain(executor));
  return out;
}

}  // namespace dwell
