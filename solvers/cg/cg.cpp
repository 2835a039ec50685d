// SPDX-License-Identifier: MIT
// The solve: check, plan, run, and recompute the true residual on the host.
#include "dwell/solvers/cg/cg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "dwell/execution/core/program_run.hpp"
#include "dwell/execution/core/program_trial.hpp"
#include "dwell/execution/model/limits.hpp"
#include "dwell/execution/model/projection.hpp"
#include "dwell/formats/error.hpp"
#include "dwell/formats/nearest.hpp"
#include "dwell/formats/power_of_two.hpp"
#include "dwell/solvers/cg/form_choice.hpp"
#include "dwell/solvers/cg/judgement.hpp"
#include "dwell/solvers/cg/norms.hpp"
#include "dwell/solvers/cg/programs/pipelined.hpp"
#include "dwell/solvers/cg/programs/single_reduction.hpp"
#include "dwell/solvers/cg/programs/textbook.hpp"
#include "dwell/solvers/cg/system_check.hpp"
#include "dwell/solvers/cg/system_scale.hpp"

namespace dwell {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void check_options(const cg_options& o) {
  const auto tolerance = [](double v, const char* name) {
    if (!(v >= 0.0) || !std::isfinite(v))
      throw input_error(
          fmt::format("{}: expected a finite number of at least 0, found {}", name, v));
  };
  tolerance(o.rtol, "rtol");
  tolerance(o.atol, "atol");
  if (std::find(std::begin(cg_variant_names), std::end(cg_variant_names), o.variant) ==
      std::end(cg_variant_names))
    throw input_error(fmt::format("expected a variant ({}), found {}",
                                  fmt::join(cg_variant_names, ", "),
                                  found_word(o.variant, cg_variant_names)));
  if (o.max_iterations < 0)
    throw input_error(
        fmt::format("max_iterations: expected at least 0, found {}", o.max_iterations));
  if (o.teams < 0)
    throw input_error(
        fmt::format("teams: expected at least 1 (or 0 as planned), found {}", o.teams));
  if (o.progress && !(o.progress_interval >= 0.0))
    throw input_error(fmt::format("progress_interval: expected at least 0 seconds, found {}",
                                  o.progress_interval));
}

/// "auto" and why.
std::string choose_executor(const cg_options& o, const device_facts& facts, std::string& reason) {
  if (o.executor != "auto") {
    reason = "as asked";
    return o.executor;
  }
  if (facts.on == backend::cpu) {
    reason = "threads that live through the solve";
    return "persistent";
  }
  if (facts.cooperative_launch) {
    reason = "one launch, and what fits stays on the chip";
    return "perks";
  }
  reason = "this device cannot launch cooperatively";
  return "graph";
}

/// Of the scaled matrix.
template <class T>
std::vector<T> inverse_diagonal(const csr_view<T>& a, int exponent) {
  std::vector<T> d(static_cast<std::size_t>(a.rows));
  const power_of_two scale(exponent);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      if (a.col[k] == i) d[static_cast<std::size_t>(i)] = T(1) / static_cast<T>(scale(a.val[k]));
  return d;
}

/// What is settled before a form of the iteration is chosen.
template <class T>
struct request {
  const device& where;
  device_facts facts;
  const csr_view<T>& a;
  std::span<const T> b;
  std::span<T> x;
  const cg_options& o;
  system_scale by;
  double begin;          ///< of the call
  std::string executor;  ///< never "auto"
  std::string why;       ///< this executor
};

/// Uploads what a run of the scaled system starts from.
template <class P, class T>
void load(const request<T>& q, program_run<P, T>& run) {
  run.vector(P::x).upload(scaled(std::span<const T>(q.x), -q.by.answer()));
  run.vector(P::rhs).upload(scaled(q.b, -q.by.vectors));
  if (q.o.preconditioner == preconditioner::jacobi)
    run.vector(P::d).upload(inverse_diagonal(q.a, -q.by.matrix));
}

/// The plan for one form of the iteration.
template <class P, class T>
planned<T> plan_for(const request<T>& q) {
  const cg_options& o = q.o;
  const program_variant& v = find_variant(P::name, q.executor, precision_of<T>, q.where.on());
  std::vector<rung_facts> rungs;
  for (int r = 0; r < static_cast<int>(v.rungs.size()); ++r) rungs.push_back(v.probe(q.where, r));
  typename P::scalars start;
  start.jacobi = o.preconditioner == preconditioner::jacobi;
  return make_plan<P, T>(
      v, rungs, q.facts, q.a,
      {o.policy, o.teams, o.rung, o.scratch_per_team, o.clusters, -q.by.matrix},
      P::in_midst(start.jacobi),
      program_trial<P, T>(
          q.where, v, q.a, start, [&](program_run<P, T>& run) { load(q, run); }, o.interrupt));
}

run_records records_of(const cg_options& o) {
  run_records r;
  r.every = o.progress && o.progress_interval == 0.0;
  if (o.history || r.every) r.history = static_cast<std::size_t>(o.max_iterations) + 1;
  if (!o.fixed_iterations)
    r.coefficients =
        static_cast<std::size_t>(std::min(o.max_iterations, most_coefficients - 1)) + 1;
  return r;
}

/// The caller's x from the run's; false, and x as it was, where an element of it is too large.
template <class T>
bool take_answer(const buffer<T>& from, int exponent, std::span<T> x) {
  std::vector<T> answer(x.size());
  from.download(answer);
  answer = scaled(std::span<const T>(answer), exponent);
  const bool finite =
      std::all_of(answer.begin(), answer.end(), [](T e) { return std::isfinite(e); });
  if (finite) std::copy(answer.begin(), answer.end(), x.begin());
  return finite;
}

template <class P, class T>
cg_report solve_as_planned(const request<T>& q, const planned<T>& made, const char* variant) {
  using program = P;
  const device& where = q.where;
  const csr_view<T>& a = q.a;
  const cg_options& o = q.o;

  cg_report report;
  report.executor = q.executor;
  report.variant = variant;
  const program_variant& v = find_variant(program::name, q.executor, precision_of<T>, where.on());

  const scaled_norms norms{q.by, norm(q.b, -q.by.rhs)};
  const double target = norms.target(o);
  typename program::scalars start;
  start.max_steps = o.max_iterations;
  start.jacobi = o.preconditioner == preconditioner::jacobi;
  start.fixed = o.fixed_iterations;
  start.target2 = target * target;

  const plan& how = made.how;
  const run_records records = records_of(o);
  program_run<program, T> run(where, v, made, a, records);
  run.reverse_lanes(o.reverse_lanes);
  load(q, run);

  report.bytes_per_iteration = made.facts.bytes_per_iteration;
  report.policy = how.policy;
  report.policy_chosen = how.chosen;
  report.reason = q.why + "; " + how.reason;
  report.device = q.facts.name;
  report.on = where.on();
  report.precision = precision_of<T> == precision::f64 ? "f64" : "f32";
  report.preconditioner = o.preconditioner;
  report.teams = how.teams;
  report.lanes = v.rungs[static_cast<std::size_t>(how.rung)].lanes;
  report.rhs_norm = norms.rhs_norm();
  report.setup_s = now() - q.begin;

  run_control control;
  control.interrupt = o.interrupt;
  control.progress_interval = o.progress_interval;
  const double first = now();
  if (o.progress)
    control.progress = [&](int step, double residual) {
      return o.progress({step, norms.relative(residual), norms.relative(target), now() - first});
    };
  report.solve_s = run.run(start, control);

  const typename program::scalars end = run.outcome();
  run_end ended;
  ended.step = end.step;
  ended.stop = end.stop;
  ended.rr = end.rr;
  const auto entries = static_cast<std::size_t>(std::max(end.step, 0)) + 1;
  if (end.step > 0) ended.representable = take_answer(run.vector(program::x), q.by.answer(), q.x);
  ended.coefficients = run.coefficients(entries);
  if (o.history) ended.history = run.history(entries);
  judge(a, q.b, std::span<const T>(q.x), norms, std::move(ended), o, report);
  return report;
}

/// The form with the least projected time; plans are made only of those that may win.
template <class T>
cg_report solve_auto(const request<T>& q) {
  if (q.where.on() == backend::cpu)
    return solve_as_planned<textbook_cg>(q, plan_for<textbook_cg>(q), "textbook");

  const bool resident =
      find_variant(textbook_cg::name, q.executor, precision_of<T>, q.where.on()).resident;
  const device_limits limits = resident ? limits_of(q.facts) : with_launches(limits_of(q.facts));
  const auto projected = [&](const planned<T>& made) {
    return project(made.facts, made.how, made.rungs, limits);
  };
  const planned<T> two = plan_for<single_reduction_cg>(q);
  const double least = projected(two).seconds;
  const form_rivals rivals = rivals_of_single_reduction(two.facts, projected(two), resident);
  if (rivals.textbook) {
    const planned<T> three = plan_for<textbook_cg>(q);
    if (projected(three).seconds < least)
      return solve_as_planned<textbook_cg>(q, three, "textbook");
  }
  if (rivals.pipelined) {
    const planned<T> one = plan_for<pipelined_cg>(q);
    if (projected(one).seconds < least) return solve_as_planned<pipelined_cg>(q, one, "pipelined");
  }
  return solve_as_planned<single_reduction_cg>(q, two, "single-reduction");
}

template <class P, class T>
cg_report solve_in_form(const request<T>& q) {
  return solve_as_planned<P>(q, plan_for<P>(q), q.o.variant.c_str());
}

template <class T>
cg_report solve_as(const device& where, const csr_view<T>& a, std::span<const T> b, std::span<T> x,
                   const cg_options& o) {
  const double begin = now();
  check_options(o);
  check_memory(a, b, std::span<const T>(x));
  check_system(a, o.assume_symmetric);
  check_vector(b, a.rows, "right-hand side");
  check_vector(std::span<const T>(x), a.rows, "start vector");
  const system_scale by = scale_of(a, b, std::span<const T>(x));
  request<T> q{where, where.facts(), a, b, x, o, by, begin, {}, {}};
  q.executor = choose_executor(o, q.facts, q.why);
  if (o.variant == "auto") return solve_auto(q);
  if (o.variant == "textbook") return solve_in_form<textbook_cg>(q);
  if (o.variant == "single-reduction") return solve_in_form<single_reduction_cg>(q);
  return solve_in_form<pipelined_cg>(q);
}

}  // namespace

std::string to_string(preconditioner p) { return p == preconditioner::none ? "none" : "jacobi"; }

std::string to_string(stop_reason r) {
  switch (r) {
    case stop_reason::converged:
      return "converged";
    case stop_reason::iteration_limit:
      return "iteration limit";
    case stop_reason::breakdown:
      return "breakdown";
    case stop_reason::not_finite:
      return "not finite";
    case stop_reason::interrupted:
      return "interrupted";
  }
  return "unknown";
}

cg_report solve(const device& where, const csr_view<double>& a, std::span<const double> b,
                std::span<double> x, const cg_options& options) {
  return solve_as(where, a, b, x, options);
}

cg_report solve(const device& where, const csr_view<float>& a, std::span<const float> b,
                std::span<float> x, const cg_options& options) {
  return solve_as(where, a, b, x, options);
}

}  // namespace dwell
