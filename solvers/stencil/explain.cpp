// SPDX-License-Identifier: MIT
// The policies' own plans, without the run.
#include "dwell/solvers/stencil/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "dwell/execution/core/sweep_variant.hpp"
#include "dwell/execution/core/variants.hpp"
#include "dwell/execution/policies/sweep_keep.hpp"
#include "dwell/execution/policies/sweep_none.hpp"
#include "dwell/execution/policies/sweep_shares.hpp"
#include "dwell/formats/error.hpp"
#include "dwell/formats/nearest.hpp"
#include "dwell/solvers/stencil/decision.hpp"

namespace dwell {
namespace {

/// Is the device with these facts here, to be asked?
std::optional<device> find_here(const device_facts& d) {
  if (d.on == backend::cpu) return device::cpu(d.units);
  if (d.ordinal >= find_cuda().devices) return {};
  const device here = device::cuda(d.ordinal);
  const device_facts facts = here.facts();
  if (facts.name != d.name || facts.units != d.units) return {};
  return here;
}

const sweep_variant* find_row(const std::string& shape, std::string_view executor, precision type,
                              backend on) {
  for (const auto& v : sweep_variants())
    if (v.shape.name == shape && v.executor == executor && v.type == type && v.on == on) return &v;
  return nullptr;
}

/// The kernels of an executor as they are on `d` or, where it cannot be asked, as they are written:
/// the CPU's have the same ladder, and need as much scratch.
std::vector<sweep_rung_facts> rungs_of(const sweep_variant* there, const sweep_variant* on_cpu,
                                       const device_facts& d, const std::optional<device>& here) {
  std::vector<sweep_rung_facts> rungs;
  const auto& ladder = (there ? there : on_cpu)->rungs;
  for (int r = 0; r < static_cast<int>(ladder.size()); ++r) {
    if (here) {
      rungs.push_back(there->probe(*here, r));
      continue;
    }
    sweep_rung_facts f;
    f.shape = ladder[static_cast<std::size_t>(r)];
    f.max_teams = d.units * f.shape.teams_per_unit;
    if (on_cpu && r < static_cast<int>(on_cpu->rungs.size()))
      f.scratch_bytes = on_cpu->probe(device::cpu(1), r).scratch_bytes;
    rungs.push_back(f);
  }
  return rungs;
}

/// Executors that keep nothing, of which there is something to say: Dwell's own, then what else
/// this build has for the shape. A GPU's need not be built here.
std::vector<std::string> plain_executors(const std::string& shape, precision type, backend on) {
  std::vector<std::string> names = {"host-loop", "graph", "persistent"};
  if (on == backend::cpu) std::erase(names, "graph");
  const auto keeps = [](const sweep_rung& r) { return r.keeps; };
  for (const auto& v : sweep_variants())
    if (v.shape.name == shape && v.type == type && (v.on == on || on == backend::cuda) &&
        std::none_of(v.rungs.begin(), v.rungs.end(), keeps) &&
        std::find(names.begin(), names.end(), v.executor) == names.end())
      names.emplace_back(v.executor);
  return names;
}

class planner {
 public:
  planner(const sweep_problem_facts& problem, precision type, const device_facts& d,
          const stencil_options& o, const std::optional<device>& here)
      : problem_(problem), type_(type), device_(d), options_(o), here_(here) {}

  stencil_plan keeping(const std::string& policy) const {
    sweep_wish wish = wish_of(options_);
    wish.policy = policy;
    return plan("perks", policy, [&](const auto& rungs, bool) {
      return policies::sweep_keep(problem_, wish, rungs, device_);
    });
  }
  stencil_plan plain(const std::string& executor) const {
    auto out = plan(executor, "", [&](const auto& rungs, bool resident) {
      return policies::sweep_none(problem_, resident, rungs, device_);
    });
    out.roof = true;
    if (here_ || find_row(options_.shape, executor, type_, device_.on)) return out;
    // A roof is none of a kernel's: it is known where this build has no kernel.
    out.refusal.clear();
    out.reason = "nothing cached explicitly";
    const auto* on_cpu = find_row(options_.shape, executor, type_, backend::cpu);
    set_projected(out,
                  policies::sweep_roof(problem_, on_cpu != nullptr && on_cpu->resident, device_));
    out.streamed_bytes = streamed_bytes(out);
    return out;
  }
  /// What policy "measured" would choose among: that there is something.
  stencil_plan measured() const {
    stencil_plan found = keeping("measured");
    if (!found.refusal.empty()) return found;
    stencil_plan out;
    out.executor = found.executor;
    out.policy = found.policy;
    out.refusal = "known only by a run, which tries plans on the device";
    return out;
  }

 private:
  template <class Choose>
  stencil_plan plan(const std::string& executor, const std::string& policy, Choose&& choose) const {
    stencil_plan out;
    out.executor = executor;
    out.policy = policy;
    const auto* there = find_row(options_.shape, executor, type_, device_.on);
    const auto* on_cpu = find_row(options_.shape, executor, type_, backend::cpu);
    // A policy needs the ladder only, which both backends share; a launch needs a kernel.
    if (!there && (here_ || !on_cpu || policy.empty())) {
      out.refusal = fmt::format("this build has no '{}' for {} on {}", executor, options_.shape,
                                to_string(device_.on));
      return out;
    }
    try {
      const auto rungs = rungs_of(there, on_cpu, device_, here_);
      fill(out, choose(rungs, there ? there->resident : on_cpu->resident), rungs);
    } catch (const unsupported_error& e) {
      out.refusal = e.what();
    }
    return out;
  }

  void fill(stencil_plan& out, const sweep_choice& c,
            const std::vector<sweep_rung_facts>& rungs) const {
    const sweep_plan& p = c.plan;
    const sweep_rung_facts& f = rungs[static_cast<std::size_t>(p.rung)];
    out.reason = c.reason;
    out.idle = c.idle;
    out.teams = p.teams;
    out.lanes = f.shape.lanes;
    out.registers = f.registers;
    out.spill_bytes = f.spill_bytes;
    set_projected(out, c.projected);
    out.streamed_bytes = streamed_bytes(out);
    if (p.shares_x == 0) return;
    const policies::sweep_shares shares = policies::shares_of(p, f.shape, problem_);
    out.tiles_along = shares.along;
    out.tile = shares.tile;
    out.of_warps = shares.of_warps;
    out.side_tiles = shares.side;
    out.depth = p.depth;
    out.rim = shares.rim;
    out.rim_computed = shares.rim_computed;
    out.register_rows = f.shape.register_rows;
    out.scratch_rows = p.scratch_rows;
    out.streamed_rows = p.streamed_rows;
    out.pass_steps = shares.pass_steps;
    out.traversal = shares.order;
    const double kept = out.register_rows + out.scratch_rows;
    out.resident = kept / std::max(1.0, kept + out.streamed_rows);
    out.streamed_bytes = streamed_bytes(out);
  }

  static void set_projected(stencil_plan& out, const sweep_projection& t) {
    out.projected = {t.seconds, t.arithmetic, t.shared, t.l2, t.memory, t.exchange};
  }

  /// Of the cells that change those that do not stay, once in a pass, and the source of all.
  double streamed_bytes(const stencil_plan& p) const {
    const auto cells = changing_cells(problem_.size, problem_.inner, problem_.edge);
    return static_cast<double>(cells * problem_.scalar_bytes) *
           (2 * (1 - p.resident) / p.pass_steps + (problem_.source ? 1 : 0));
  }

  const sweep_problem_facts& problem_;
  precision type_;
  const device_facts& device_;
  const stencil_options& options_;
  const std::optional<device>& here_;
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
  const auto here = find_here(device);
  out.probed = here.has_value();
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

  const planner make(problem, type, device, options, here);
  auto policies = built_sweep_policies();
  policies.insert(policies.begin(), "auto");
  const auto asked = std::find(policies.begin(), policies.end(), options.policy);
  if (asked == policies.end())
    throw input_error(fmt::format("policy: expected {}, found {}", fmt::join(policies, ", "),
                                  found_word(options.policy, policies)));
  out.chosen = static_cast<std::size_t>(asked - policies.begin());
  for (const auto& policy : policies)
    out.plans.push_back(policy == "measured" ? make.measured() : make.keeping(policy));
  // What "measured" would choose among is what "auto" does.
  const bool some = out.plans.front().refusal.empty();
  const auto& chosen = out.plan();
  // Only perks has policies, and tiles that stay.
  const bool for_perks = options.policy != "auto" || !wish_for_tiles(options).empty();
  if (for_perks && !chosen.refusal.empty() && !(some && chosen.policy == "measured"))
    throw unsupported_error(chosen.refusal);
  for (const auto& executor : plain_executors(options.shape, type, device.on))
    out.plans.push_back(make.plain(executor));
  return out;
}

}  // namespace dwell
