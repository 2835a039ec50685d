// SPDX-License-Identifier: MIT
// Estimates of condition and error, and the reason of the end.
#include "dwell/solvers/linear/run/verification.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dwell/solvers/linear/choose/advice.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"
#include "dwell/solvers/linear/run/lanczos.hpp"

namespace dwell {
namespace {

/// What the coefficients show of the condition; 0: nothing. of_matrix: of the matrix itself, whose
/// diagonal counts too.
double condition_seen(const solve_end& end, bool of_matrix) {
  const spectrum_seen seen = spectrum_of(end.coefficients);
  if (!(seen.least > 0.0)) return 0.0;
  if (!of_matrix) return seen.most / seen.least;
  const int by = -end.numbers.by.matrix;
  return std::max(seen.most, std::ldexp(end.facts.most_diagonal, by)) /
         std::min(seen.least, std::ldexp(end.facts.least_diagonal, by));
}

/// Both estimates. What the start does not excite Lanczos does not see; but no eigenvalue range is
/// smaller than that of the diagonal, whose elements are values of x.Ax / x.x too. With M = D^-1
/// the norm in which the condition matters is that of D^(-1/2), where the matrix is D^(-1/2) A
/// D^(-1/2).
void estimate_error(const solve_end& end, solve_report& report) {
  const solver_variant& variant = find_variant(report.method, report.variant);
  if (!variant.shows_spectrum) return;
  const solve_numbers& n = end.numbers;
  report.condition_estimate =
      end.known_condition > 0.0
          ? end.known_condition
          : condition_seen(
                end, !variant.with_sequence && report.preconditioner != preconditioner::jacobi);
  if (!(report.condition_estimate > 0.0)) return;
  if (variant.with_sequence) return;  // condition of M A: no norm of the error follows from it
  double relative = report.residual_relative_true;
  if (report.preconditioner == preconditioner::jacobi)
    relative = std::sqrt(n.rr_by_diagonal) / std::sqrt(n.bb_by_diagonal);
  if (std::isfinite(relative)) report.error_estimate = report.condition_estimate * relative;
  report.no_digit_safe = report.error_estimate >= 0.1;
}

/// Has the last third of the steps found no half of the best residual before? Of a few steps: have
/// all of them found nothing? `size(k)` is the residual's after k steps.
template <class F>
bool rests(int steps, F&& size) {
  const auto best = [&](int from, int to) {
    double m = size(from);
    for (int k = from + 1; k < to; ++k) m = std::min(m, size(k));
    return m;
  };
  if (steps < steps_of_a_trend) return steps > 1 && !(best(1, steps + 1) < 0.99 * size(0));
  const int last = steps - steps / 3;
  return !(best(last, steps + 1) < 0.5 * best(0, last));
}

residual_trend trend_of(const solve_end& end) {
  const int step = end.numbers.step;
  if (step < 1) return residual_trend::unknown;
  const auto n = static_cast<std::size_t>(step);
  const auto trend = [&](auto&& size) {
    return rests(step, size) ? residual_trend::rests : residual_trend::falls;
  };
  if (end.history.size() > n) return trend([&](int k) { return end.history[k]; });
  if (end.coefficients.size() > n)
    return trend([&](int k) { return std::sqrt(end.coefficients[k].weight); });
  return residual_trend::unknown;
}

/// What a run is told to do beyond the digits of x ends by numbers that have none: by an underflow
/// of the recursion, which looks like a breakdown or meets a tolerance of 0. That is the limit of
/// rounding, and says nothing of the matrix.
void end_by_rounding(const solve_numbers& n, const solve_options& o, solve_report& report) {
  const bool exact =
      report.precision == "f32" ? is_exact_enough<float>(report) : is_exact_enough<double>(report);
  if (!exact) return;
  const bool broke_down = report.stopped == stop_reason::breakdown;
  if (broke_down && meets_target(n, o)) {
    report.stopped = stop_reason::converged;
  } else if (broke_down || (report.target_missed && !has_target(o, report))) {
    report.stopped = stop_reason::accuracy_limit;
    report.target_missed = true;
  }
}

}  // namespace

stop_reason reason_of(int stop) {
  switch (stop) {
    case run_outcome::converged:
      return stop_reason::converged;
    case run_outcome::iteration_limit:
      return stop_reason::iteration_limit;
    case run_outcome::breakdown:
      return stop_reason::breakdown;
    case run_outcome::interrupted:
      return stop_reason::interrupted;
    default:
      return stop_reason::not_finite;
  }
}

double scaled_norms::relative(double scaled) const {
  if (rhs == 0.0) return std::ldexp(scaled, by.vectors);
  return std::ldexp(scaled / rhs, by.vectors - by.rhs);
}

double scaled_norms::relative_true(double norm) const {
  return rhs == 0.0 ? std::ldexp(norm, by.rhs) : norm / rhs;
}

bool meets_target(const solve_numbers& n, const solve_options& o) {
  return n.true_norm <= n.goal || (o.atol > 0.0 && std::ldexp(n.true_norm, n.by.rhs) <= o.atol);
}

void take_true_residual(const solve_numbers& n, solve_report& report) {
  report.residual_relative_true = scaled_norms{n.by, n.rhs}.relative_true(n.true_norm);
  report.componentwise_backward_error = n.by_terms;
  // Under rounding's own level (what the last bit of x moves) two residuals need not agree.
  const double lower = std::min(report.residual_relative_true, report.residual_relative_recursive);
  const double upper = std::max(report.residual_relative_true, report.residual_relative_recursive);
  // Where numbers ended that is what there is to say; nor is there anything to say of an exact x.
  report.residuals_disagree = report.stopped != stop_reason::not_finite &&
                              report.residual_relative_true > 0.0 && !(upper <= 10.0 * lower);
}

bool keep_start_instead(const solve_numbers& of_start, solve_report& report) {
  const double of_x = scaled_norms{of_start.by, of_start.rhs}.relative_true(of_start.true_norm);
  // Both may be over the largest number: then nobody knows which is smaller.
  if (std::isfinite(report.residual_relative_true) && report.residual_relative_true <= of_x)
    return false;
  report.residual_relative_recursive = of_x;
  take_true_residual(of_start, report);
  report.error_estimate = 0;
  report.no_digit_safe = false;
  return true;
}

double scaled_norms::rhs_norm() const { return std::ldexp(rhs, by.rhs); }

template <class T>
solve_report report_of(const plan_target& target, const solve_options& o,
                       const solve_decision<T>& made) {
  const plan& how = made.made.how;
  solve_report report;
  report.executor = made.executor;
  report.method = made.variant->method;
  report.variant = made.variant->name;
  report.bytes_per_iteration = made.made.facts.bytes_per_iteration;
  report.policy = how.policy;
  report.policy_chosen = how.chosen;
  report.reason = made.why + "; " + how.reason;
  report.device = target.facts.name;
  report.on = target.on();
  report.precision = precision_of<T> == precision::f64 ? "f64" : "f32";
  report.preconditioner = o.preconditioner;
  report.teams = how.teams;
  report.columns_together = made.variant->columns;
  report.lanes = made.kernel->configs[static_cast<std::size_t>(how.config)].lanes;
  return report;
}

template solve_report report_of(const plan_target&, const solve_options&,
                                const solve_decision<double>&);
template solve_report report_of(const plan_target&, const solve_options&,
                                const solve_decision<float>&);

solve_setup difference(const solve_setup& now, const solve_setup& before) {
  solve_setup d;
  d.check_s = now.check_s - before.check_s;
  d.upload_s = now.upload_s - before.upload_s;
  d.plan_s = now.plan_s - before.plan_s;
  d.cut_s = now.cut_s - before.cut_s;
  d.preconditioner_s = now.preconditioner_s - before.preconditioner_s;
  d.analyse_s = now.analyse_s - before.analyse_s;
  d.factor_s = now.factor_s - before.factor_s;
  d.load_s = now.load_s - before.load_s;
  return d;
}

std::size_t mean_bytes(const solve_report& one, const solve_report& other) {
  const double steps = double(one.iterations) + double(other.iterations);
  if (!(steps > 0) || one.bytes_per_iteration == other.bytes_per_iteration)
    return other.bytes_per_iteration;
  return static_cast<std::size_t>((double(one.iterations) * double(one.bytes_per_iteration) +
                                   double(other.iterations) * double(other.bytes_per_iteration)) /
                                  steps);
}

solve_report joined(const solve_report& first, solve_report rest) {
  rest.bytes_per_iteration = mean_bytes(first, rest);
  rest.iterations += first.iterations;
  rest.refinements += first.refinements;
  rest.solve_s += first.solve_s;
  rest.setup_s = first.setup_s + rest.setup.total();
  rest.setup += first.setup;
  rest.per_iteration_us = rest.iterations > 0 ? rest.solve_s * 1e6 / rest.iterations : 0.0;
  if (!rest.history.empty()) {
    std::vector<double> all = first.history;
    all.insert(all.end(), rest.history.begin() + 1, rest.history.end());
    rest.history = std::move(all);
  }
  return rest;
}

void end_interrupted(solve_report& report) {
  report.stopped = stop_reason::interrupted;
  report.target_missed = report.stagnated = false;
  report.advice.clear();
}

bool has_target(const solve_options& o, const solve_report& report) {
  return o.atol > 0.0 || (o.rtol > 0.0 && report.rhs_norm > 0.0);
}

void verify(solve_end end, const solve_options& o, solve_report& report) {
  const solve_numbers& n = end.numbers;
  const scaled_norms norms{n.by, n.rhs};
  report.rhs_norm = norms.rhs_norm();
  if (n.projected) {
    report.null_space = n.projected == which_null_space::given ? "given" : "constant";
    if (n.removed > 0.0) report.rhs_outside_range = n.removed / std::hypot(n.rhs, n.removed);
    const double by_rounding = report.precision == "f32" ? 1e-3 : 1e-6;
    report.rhs_inconsistent = report.rhs_outside_range > by_rounding;
  }
  report.iterations = std::max(n.step, 0);
  report.stopped = n.representable ? reason_of(n.stop) : stop_reason::not_finite;
  report.per_iteration_us = report.iterations ? report.solve_s * 1e6 / report.iterations : 0.0;
  report.residual_relative_recursive =
      end.has_residual ? norms.relative(std::sqrt(n.rr)) : norms.relative_true(n.true_norm);
  take_true_residual(n, report);
  report.target_missed = report.stopped == stop_reason::converged && !meets_target(n, o);
  if (!o.fixed_iterations) end_by_rounding(n, o, report);
  report.rows_missed = misses_rows(report, n.by_row);

  if (!o.fixed_iterations) {
    if (n.rhs > 0.0) estimate_error(end, report);
    const residual_trend trend = trend_of(end);
    report.stagnated =
        report.stopped == stop_reason::iteration_limit && trend == residual_trend::rests;
    report.advice = advice_of(report, o, end.facts, trend);
  }
  report.history = std::move(end.history);
  for (double& h : report.history) h = std::ldexp(h, norms.by.vectors);
}

}  // namespace dwell
