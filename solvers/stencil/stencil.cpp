// SPDX-License-Identifier: MIT
// The run: check, plan, run, and look at the result.
#include "dwell/solvers/stencil/stencil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "dwell/execution/core/sweep_run.hpp"
#include "dwell/execution/core/sweep_variant.hpp"
#include "dwell/execution/policies/sweep_shares.hpp"
#include "dwell/formats/error.hpp"
#include "dwell/formats/field_values.hpp"
#include "dwell/solvers/stencil/decision.hpp"
#include "dwell/solvers/stencil/fastest_plan.hpp"
#include "dwell/solvers/stencil/stencil_table.hpp"

namespace dwell {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T>
void check_options(const stencil_options& o, const stencil_shape& shape) {
  if (o.steps < 0) throw input_error(fmt::format("steps: expected at least 0, found {}", o.steps));
  if (o.check_every < 1)
    throw input_error(fmt::format("check_every: expected at least 1, found {}", o.check_every));
  if (o.until && (!(*o.until >= 0) || !std::isfinite(*o.until)))
    throw input_error(
        fmt::format("until: expected a finite number of at least 0, found {}", *o.until));
  if (!o.weights.empty() && o.weights.size() != shape.weights.size())
    throw input_error(fmt::format("weights: expected {} numbers for {}, found {}",
                                  shape.weights.size(), shape.name, o.weights.size()));
  for (const double w : o.weights)
    if (!std::isfinite(static_cast<T>(w)))
      throw input_error(fmt::format("weights: expected numbers that are finite in {}, found {}",
                                    sizeof(T) == 8 ? "f64" : "f32", w));
  if (o.depth < 0) throw input_error(fmt::format("depth: expected at least 0, found {}", o.depth));
  parse_traversal(o.traversal);
  parse_passing(o.blocking);
  if (o.teams < 0) throw input_error(fmt::format("teams: expected at least 0, found {}", o.teams));
}

/// Steps between two looks: `most`, or a few less if check_every then is a multiple of them, which
/// a graph repeats.
int steps_to_look(const stencil_options& o, int most) {
  if (!o.until) return most;
  const int longest = std::min(o.check_every, most);
  for (int d = longest; d > longest / 4; --d)
    if (o.check_every % d == 0) return d;
  return longest;
}

/// Steps between looks: few enough to be interrupted within about a tenth of a second, many enough
/// to cost nothing. On a CPU arithmetic takes the time, and teams that keep tiles play their lanes
/// one after the other.
int steps_between_looks(std::size_t cells, int flops, backend on, bool keeps) {
  constexpr double most = 64;
  constexpr double gpu_cells = 8.6e9;                  // what an H200 does in 40 ms
  constexpr double cpu_flops = 3.4e8, in_turn = 16.0;  // what two cores do in 100 ms
  const double work = on != backend::cpu ? static_cast<double>(cells) / gpu_cells
                                         : static_cast<double>(cells) * std::max(flops, 10) *
                                               (keeps ? in_turn : 1.0) / cpu_flops;
  return static_cast<int>(std::clamp(1 / work, 1.0, most));
}

/// The change has been tested once at least when so many steps are done.
bool tested(const stencil_options& o, int done) {
  return o.until && done > 0 && (done >= o.check_every || done == o.steps);
}

stencil_stop reason_of(sweep_stop stop, bool until) {
  switch (stop) {
    case sweep_stop::converged:
      return stencil_stop::converged;
    case sweep_stop::not_finite:
      return stencil_stop::not_finite;
    case sweep_stop::interrupted:
      return stencil_stop::interrupted;
    default:
      return until ? stencil_stop::step_limit : stencil_stop::steps_done;
  }
}

/// Options, sizes and values that cannot be used.
template <class T>
void check_request(const stencil_options& o, const stencil_shape& shape, const grid<T>& u,
                   const grid<T>* source) {
  check_options<T>(o, shape);
  if (source && source->size() != u.size())
    throw input_error(fmt::format("source: expected {} cells as the field has, found {}",
                                  to_string(u.size()), to_string(source->size())));
  require_finite<T>("field", u.view());
  if (source) require_finite<T>("source", source->view());
}

/// How long the steps go on, and how often the run looks up.
template <class T>
void set_steps(sweep_args<T>& a, const stencil_options& o, const sweep_problem_facts& problem,
               const sweep_plan& p, bool keeps, backend on) {
  a.steps = o.steps;
  a.until = o.until.has_value();
  a.tolerance = o.until.value_or(0);
  a.check_every = o.check_every;
  a.mark_every = steps_between_looks(problem.size.cells(), problem.flops, on, keeps);
  // Where tiles stay on the chip, a look costs two grid barriers and steps are short. A CPU plays
  // their lanes one after the other; a look then ends a pass at least.
  const int seldom = on == backend::cpu ? std::max(a.mark_every, p.depth) : 16 * a.mark_every;
  a.look_every = steps_to_look(o, keeps ? seldom : a.mark_every);
  a.reverse_lanes = o.reverse_lanes;
}

/// What is known before the first step.
stencil_report report_of_plan(const stencil_options& o, const sweep_problem_facts& problem,
                              const sweep_variant& v, const sweep_choice& choice) {
  const sweep_plan& p = choice.plan;
  const sweep_rung& rung = v.rungs[static_cast<std::size_t>(p.rung)];
  stencil_report report;
  report.shape = v.shape.name;
  report.executor = v.executor;
  report.size = problem.size;
  report.edge = o.edge;
  report.policy = choice.policy;
  report.teams = p.teams;
  report.lanes = rung.lanes;
  report.depth = p.depth;
  const policies::sweep_shares shares = policies::shares_of(p, rung, problem);
  report.pass_steps = shares.pass_steps;
  report.traversal = shares.order;

  const int rows = rung.register_rows + p.scratch_rows + p.streamed_rows;
  const std::size_t cells = problem.size.cells();
  const auto share = [&](int some) {
    return rows > 0 ? cells * static_cast<std::size_t>(some) / static_cast<std::size_t>(rows) : 0;
  };
  report.kept_registers = share(rung.register_rows);
  report.kept_scratch = share(p.scratch_rows);
  report.streamed = cells - report.kept_registers - report.kept_scratch;
  return report;
}

/// What came of it: report.solve_s is known, `cells` are the result.
template <class T>
void add_outcome(stencil_report& report, const stencil_options& o, const sweep_state& end,
                 std::span<const T> cells) {
  report.steps = end.done;
  report.stopped = reason_of(end.stop, o.until.has_value());
  if (tested(o, end.done)) report.change = end.change;
  const value_range range = range_of<T>(cells);
  report.least = range.least;
  report.greatest = range.greatest;
  report.nonfinite_cells = range.nonfinite;
  report.finite = range.nonfinite == 0;
  if (report.steps > 0) report.per_step_us = report.solve_s * 1e6 / report.steps;
  if (report.solve_s > 0)
    report.cells_per_second =
        static_cast<double>(report.changing_cells) * report.steps / report.solve_s;
}

template <class T>
stencil_report solve_as(std::span<const sweep_variant> table, const device& where, grid<T>& u,
                        const stencil_options& o, const grid<T>* source) {
  const double begin = now();
  const device_facts facts = where.facts();
  const extents n = u.size();
  const stencil_shape known = find_stencil_shape(table, o.shape);
  const auto problem = problem_of(known, n, sizeof(T), o.edge, source != nullptr);
  check_request<T>(o, known, u, source);
  const decision made = decide(table, o, precision_of<T>, where, facts, problem);
  const sweep_variant& v = *made.variant;
  const sweep_choice choice = o.policy == "measured"
                                  ? fastest_plan<T>(where, v, made.plans, u, o, source)
                                  : made.plans.front();
  const bool keeps = v.rungs[static_cast<std::size_t>(choice.plan.rung)].keeps;

  sweep_run<T> run(where, v, choice.plan, n, o.edge, source != nullptr);
  run.set_field(u.cells());
  if (source) run.set_source(source->cells());
  set_steps(run.args(), o, problem, choice.plan, keeps, where.on());

  stencil_report report = report_of_plan(o, problem, v, choice);
  report.reason = made.why + "; " + choice.reason;
  report.device = facts.name;
  report.on = where.on();
  report.precision = precision_of<T> == precision::f64 ? "f64" : "f32";
  report.changing_cells = changing_cells(n, problem.inner, o.edge);
  report.bytes_per_step = report.changing_cells * sizeof(T) * (source ? 3 : 2);
  report.setup_s = now() - begin;

  run_control control;
  control.interrupt = o.interrupt;
  control.progress_interval = o.progress_interval;
  const double first = now();
  if (o.progress)
    control.progress = [&](int step, double change) {
      return o.progress(
          {step, tested(o, step) ? std::optional(change) : std::nullopt, now() - first});
    };
  sweep_state end;
  if (o.steps > 0) {
    report.solve_s = run.run(o.weights.empty() ? v.shape.weights : o.weights, control);
    end = run.outcome();
    run.result(end, u.cells());
  }
  add_outcome<T>(report, o, end, std::as_const(u).cells());
  return report;
}

}  // namespace

stencil_report solve(const device& where, grid<double>& u, const stencil_options& options,
                     const grid<double>* source) {
  return solve_as(sweep_variants(), where, u, options, source);
}
stencil_report solve(const device& where, grid<float>& u, const stencil_options& options,
                     const grid<float>* source) {
  return solve_as(sweep_variants(), where, u, options, source);
}

stencil_report solve_from(std::span<const sweep_variant> table, const device& where,
                          grid<double>& u, const stencil_options& options,
                          const grid<double>* source) {
  return solve_as(table, where, u, options, source);
}
stencil_report solve_from(std::span<const sweep_variant> table, const device& where, grid<float>& u,
                          const stencil_options& options, const grid<float>* source) {
  return solve_as(table, where, u, options, source);
}

}  // namespace dwell
