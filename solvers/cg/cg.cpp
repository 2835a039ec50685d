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
#include "dwell/solvers/cg/form_choice.hpp"
#include "dwell/solvers/cg/norms.hpp"
#include "dwell/solvers/cg/programs/pipelined.hpp"
#include "dwell/solvers/cg/programs/single_reduction.hpp"
#include "dwell/solvers/cg/programs/textbook.hpp"
#include "dwell/solvers/cg/system_check.hpp"

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

template <class T>
std::vector<T> inverse_diagonal(const csr_view<T>& a) {
  std::vector<T> d(static_cast<std::size_t>(a.rows));
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      if (a.col[k] == i) d[static_cast<std::size_t>(i)] = T(1) / a.val[k];
  return d;
}

stop_reason reason_of(int stop) {
  switch (stop) {
    case cg_outcome::converged:
      return stop_reason::converged;
    case cg_outcome::iteration_limit:
      return stop_reason::iteration_limit;
    case cg_outcome::breakdown:
      return stop_reason::breakdown;
    case cg_outcome::interrupted:
      return stop_reason::interrupted;
    default:
      return stop_reason::not_finite;
  }
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
  double begin;          ///< of the call
  std::string executor;  ///< never "auto"
  std::string why;       ///< this executor
};

/// Uploads what a run starts from.
template <class P, class T>
void load(const request<T>& q, program_run<P, T>& run) {
  run.vector(P::x).upload(q.x);
  run.vector(P::rhs).upload(q.b);
  if (q.o.preconditioner == preconditioner::jacobi) run.vector(P::d).upload(inverse_diagonal(q.a));
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
      v, rungs, q.facts, q.a, {o.policy, o.teams, o.rung, o.scratch_per_team, o.clusters},
      P::in_midst(start.jacobi),
      program_trial<P, T>(
          q.where, v, q.a, start, [&](program_run<P, T>& run) { load(q, run); }, o.interrupt));
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

  typename program::scalars start;
  start.max_steps = o.max_iterations;
  start.jacobi = o.preconditioner == preconditioner::jacobi;
  start.fixed = o.fixed_iterations;
  report.rhs_norm = norm(q.b);
  const double target = std::max(o.rtol * report.rhs_norm, o.atol);
  start.target2 = target * target;

  const plan& how = made.how;
  report.bytes_per_iteration = made.facts.bytes_per_iteration;

  program_run<program, T> run(where, v, made, a,
                              o.history ? static_cast<std::size_t>(o.max_iterations) + 1 : 0);
  run.reverse_lanes(o.reverse_lanes);
  load(q, run);

  report.policy = how.policy;
  report.policy_chosen = how.chosen;
  report.reason = q.why + "; " + how.reason;
  report.device = q.facts.name;
  report.on = where.on();
  report.precision = precision_of<T> == precision::f64 ? "f64" : "f32";
  report.preconditioner = o.preconditioner;
  report.teams = how.teams;
  report.lanes = v.rungs[static_cast<std::size_t>(how.rung)].lanes;
  report.setup_s = now() - q.begin;

  const double scale = report.rhs_norm > 0.0 ? report.rhs_norm : 1.0;
  run_control control;
  control.interrupt = o.interrupt;
  control.progress_interval = o.progress_interval;
  const double first = now();
  if (o.progress)
    control.progress = [&](int step, double residual) {
      o.progress({step, residual / scale, target / scale, now() - first});
    };
  report.solve_s = run.run(start, control);

  const typename program::scalars end = run.outcome();
  run.vector(program::x).download(q.x);
  report.iterations = std::max(end.step, 0);
  report.stopped = reason_of(end.stop);
  report.per_iteration_us = report.iterations ? report.solve_s * 1e6 / report.iterations : 0.0;
  if (o.history) report.history = run.history(static_cast<std::size_t>(report.iterations) + 1);
  report.residual_relative_recursive = std::sqrt(end.rr) / scale;
  report.residual_relative_true = true_residual<T>(a, q.b, q.x) / scale;
  // Under rounding's own level (what the last bit of x moves) two residuals need not agree.
  const double lower = std::min(report.residual_relative_true, report.residual_relative_recursive);
  const double upper = std::max(report.residual_relative_true, report.residual_relative_recursive);
  report.residuals_disagree = !(upper <= 10.0 * lower);
  return report;
}

/// The form with the least projected time; plans are made only of those that may win.
template <class T>
cg_report solve_auto(const request<T>& q) {
  const bool choice =
      q.where.on() == backend::cuda &&
      find_variant(textbook_cg::name, q.executor, precision_of<T>, q.where.on()).resident;
  if (!choice) return solve_as_planned<textbook_cg>(q, plan_for<textbook_cg>(q), "textbook");

  const device_limits limits = limits_of(q.facts);
  const auto projected = [&](const planned<T>& made) {
    return project(made.facts, made.how, made.rungs, limits);
  };
  const planned<T> two = plan_for<single_reduction_cg>(q);
  const double least = projected(two).seconds;
  const form_rivals rivals = rivals_of_single_reduction(two.facts, projected(two));
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
cg_report solve_checked(const device& where, const csr_view<T>& a, std::span<const T> b,
                        std::span<T> x, const cg_options& o, double begin) {
  request<T> q{where, where.facts(), a, b, x, o, begin, {}, {}};
  q.executor = choose_executor(o, q.facts, q.why);
  if (o.variant == "auto") return solve_auto(q);
  if (o.variant == "textbook") return solve_in_form<textbook_cg>(q);
  if (o.variant == "single-reduction") return solve_in_form<single_reduction_cg>(q);
  return solve_in_form<pipelined_cg>(q);
}

template <class T>
cg_report solve_as(const device& where, const csr_view<T>& a, std::span<const T> b, std::span<T> x,
                   const cg_options& o) {
  const double begin = now();
  check_options(o);
  check_system(a, o.assume_symmetric);
  check_vector(b, a.rows, "right-hand side");
  check_vector(std::span<const T>(x), a.rows, "start vector");
  const int exponent = extreme_exponent(b);
  if (exponent == 0) return solve_checked<T>(where, a, b, x, o, begin);

  const std::vector<T> small_b = scaled(b, -exponent);
  std::vector<T> small_x = scaled(std::span<const T>(x), -exponent);
  check_vector(std::span<const T>(small_x), a.rows,
               "start vector over the size of the right-hand side");
  cg_options small_o = o;
  small_o.atol = std::ldexp(o.atol, -exponent);
  cg_report report = solve_checked<T>(where, a, small_b, small_x, small_o, begin);
  std::transform(small_x.begin(), small_x.end(), x.begin(),
                 [&](T e) { return std::ldexp(e, exponent); });
  report.rhs_norm = std::ldexp(report.rhs_norm, exponent);
  for (double& h : report.history) h = std::ldexp(h, exponent);
  return report;
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
