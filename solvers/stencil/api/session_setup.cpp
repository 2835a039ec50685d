// SPDX-License-Identifier: MIT
// How a session is set up: the decision, the memory and kernels, what the report says of them.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "dwell/base/lap_timer.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/launch/trial.hpp"
#include "dwell/execution/stencil/plan/policies/measured.hpp"
#include "dwell/execution/stencil/plan/policies/none.hpp"
#include "dwell/solvers/stencil/api/decide.hpp"
#include "dwell/solvers/stencil/api/session.hpp"

namespace dwell {
namespace {

/// How the field lies over the chip.
void describe(stencil_report& report, const stencil_problem& problem, const stencil_kernel& v,
              const stencil_plan& p) {
  const stencil_engine& engine = engine_of(v, p);
  const engine_shape& shape = engine.shape();
  const subdomain_facts subdomains = engine.subdomains(p, problem);
  report.engine = engine.name();
  report.teams = p.teams;
  report.lanes = shape.lanes;
  report.depth = p.depth;
  report.alternates = p.alternates;
  report.order = has_whole_steps(v.executor) ? to_string(p.cells) : "";
  report.subdomains = subdomains.along;
  report.subdomain = subdomains.tile;
  report.of_warps = subdomains.of_warps;
  report.pass_steps = subdomains.pass_steps;
  report.traversal = subdomains.order;

  const int rows = shape.register_rows + p.scratch_rows + p.streamed_rows;
  const std::size_t cells = problem.size.cells();
  const auto share = [&](int some) {
    return rows > 0 ? cells * static_cast<std::size_t>(some) / static_cast<std::size_t>(rows) : 0;
  };
  // Shares of sums: what rounding leaves goes to nothing that has no rows.
  const std::size_t cached = share(shape.register_rows + p.scratch_rows);
  report.cached_registers = share(shape.register_rows);
  report.cached_scratch = cached - report.cached_registers;
  report.streamed = cells - cached;
}

/// Values for trials of plans: what they are matters little for the time of a step.
template <class T>
grid<T> made_up_field(const extents& size) {
  grid<T> u(size);
  unsigned state = 1;
  for (T& v : u.cells()) v = static_cast<T>((state = state * 1664525u + 1013904223u) * 0x1p-32);
  return u;
}

}  // namespace

template <class T>
void stencil_session<T>::set_up(std::span<const stencil_kernel> table, grid_view<const T> field,
                                grid_view<const T> source) {
  const double begin = seconds_on_host();
  const plan_target target = target_of(where_);
  const extents& n = problem_.size;
  const stencil_request request{table, precision_of<T>, target, problem_};
  const stencil_decision made = decide(request, options_);
  const bool for_many_runs = !field.data;
  const stencil_kernel& v = *made.kernel;
  stencil_choice choice = made.plans.front();
  if (made.tries) {
    const grid<T> made_up = field.data ? grid<T>() : made_up_field<T>(n);
    if (!field.data) {
      field = made_up.view();
      if (has_source_) source = made_up.view();
    }
    const stencil_trial<T> trial(where_, v,
                                 {field, source, options_.edge, weights_, options_.reverse_lanes,
                                  options_.interrupt, &report_.setup.compile_s});
    choice = policies::stencil_measured(made.plans, trial);
  }
  caches_ = engine_of(v, choice.plan).shape().caches;
  depth_ = choice.plan.depth;
  report_.setup.plan_s = seconds_on_host() - begin - report_.setup.compile_s;
  {
    const lap_timer timer(report_.setup.load_s);
    run_.emplace(where_, v, choice.plan, n, options_.edge, has_source_);
  }
  run_->args().reverse_lanes = options_.reverse_lanes;

  report_.shape = v.shape.name;
  report_.executor = v.executor;
  report_.policy = choice.policy;
  report_.reason = made.why + "; " + choice.reason;
  report_.device = target.facts.name;
  report_.on = on_;
  if (for_many_runs && caches_ && on_ == backend::cuda && options_.executor == automatic)
    add_launches(request, choice);
  take_making();
  report_.precision = precision_of<T> == precision::f64 ? "f64" : "f32";
  report_.size = n;
  report_.edge = options_.edge;
  describe(report_, problem_, v, choice.plan);
  report_.changing_cells = changing_cells(n, problem_.inner, options_.edge);
  report_.bytes_per_step = report_.changing_cells * sizeof(T) * (has_source_ ? 3 : 2);
  report_.least = report_.greatest = std::numeric_limits<double>::quiet_NaN();
}

/// What was compiled when it was needed is not loading.
template <class T>
void stencil_session<T>::take_making() {
  const kernel_making& making = run_->making();
  if (making.compiler.empty()) return;
  report_.compiler = making.compiler;
  report_.setup.compile_s += making.seconds;
  report_.setup.load_s = std::max(0.0, report_.setup.load_s - making.seconds);
  report_.reason += words_of({making.compiler, report_.setup.compile_s});
}

/// A run in one launch pays for its beginning (words are zeroed, all teams launched together, tiles
/// loaded and stored), a single launch for every step: so few steps go by launches.
template <class T>
void stencil_session<T>::add_launches(const stencil_request& q, const stencil_choice& plan) {
  constexpr double run_start = 6e-6;
  stencil_options o = options_;
  o.executor = executors::graph.name;
  o.policy = automatic;
  if (!request_for_tiles(o).empty()) return;
  const stencil_decision made = decide(q, o);
  const stencil_choice& each = made.plans.front();
  const double launched_s =
      policies::time_of_launches(problem_, each, *made.facts_of(each.plan).engine, q.target.facts)
          .seconds;
  const double more = launched_s - plan.projected.seconds;
  const int few = more > 0 ? static_cast<int>(std::min(run_start / more, 64.0)) : 64;
  const lap_timer timer(report_.setup.load_s);
  if (few > 0 && run_->add_launches(*made.kernel, each.plan, few))
    report_.reason += "; runs of up to " + std::to_string(few) + " steps by launches of one step";
}

template void stencil_session<double>::set_up(std::span<const stencil_kernel>,
                                              grid_view<const double>, grid_view<const double>);
template void stencil_session<float>::set_up(std::span<const stencil_kernel>,
                                             grid_view<const float>, grid_view<const float>);
template void stencil_session<double>::add_launches(const stencil_request&, const stencil_choice&);
template void stencil_session<float>::add_launches(const stencil_request&, const stencil_choice&);
template void stencil_session<double>::take_making();
template void stencil_session<float>::take_making();

}  // namespace dwell
