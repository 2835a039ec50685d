// SPDX-License-Identifier: MIT
// See judgement.hpp.
#include "dwell/solvers/cg/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "dwell/solvers/cg/lanczos.hpp"
#include "dwell/solvers/cg/norms.hpp"
#include "dwell/solvers/cg/programs/outcome.hpp"

namespace dwell {
namespace {

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

double norm_of(const std::vector<double>& v) { return norm(std::span<const double>(v)); }

/// The diagonal of the scaled matrix.
template <class T>
std::vector<double> diagonal_of(const csr_view<T>& a, const system_scale& by) {
  const power_of_two of_matrix(-by.matrix);
  std::vector<double> d(static_cast<std::size_t>(a.rows));
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      if (a.col[k] == i) d[static_cast<std::size_t>(i)] = of_matrix(a.val[k]);
  return d;
}

/// Over ||b||, in the norm in which the condition matters: with M = D^-1 that of D^(-1/2), where
/// the matrix is D^(-1/2) A D^(-1/2).
template <class T>
double relative_to_diagonal(const std::vector<double>& d, std::span<const T> b,
                            const std::vector<double>& r, const system_scale& by) {
  const power_of_two of_rhs(-by.vectors);
  const auto weighed = [&](auto&& element) {
    return std::sqrt(sum_over(static_cast<index>(d.size()), [&](index i) {
      const auto at = static_cast<std::size_t>(i);
      const double e = element(at) / std::sqrt(d[at]);
      return e * e;
    }));
  };
  return weighed([&](std::size_t i) { return r[i]; }) /
         weighed([&](std::size_t i) { return of_rhs(b[i]); });
}

/// Both estimates. What the start does not excite Lanczos does not see; but no eigenvalue range is
/// smaller than that of the diagonal, whose elements are values of x.Ax / x.x too.
template <class T>
void estimate_error(const csr_view<T>& a, std::span<const T> b, const std::vector<double>& r,
                    const system_scale& by, const run_end& end, cg_report& report) {
  const spectrum_seen seen = spectrum_of(end.coefficients);
  if (!(seen.least > 0.0)) return;
  const std::vector<double> d = diagonal_of(a, by);
  double relative = report.residual_relative_true;
  if (report.preconditioner == preconditioner::jacobi) {
    report.condition_estimate = seen.most / seen.least;
    relative = relative_to_diagonal(d, b, r, by);
  } else {
    const auto [least, most] = std::minmax_element(d.begin(), d.end());
    report.condition_estimate = std::max(seen.most, *most) / std::min(seen.least, *least);
  }
  if (std::isfinite(relative)) report.error_estimate = report.condition_estimate * relative;
  report.no_digit_safe = report.error_estimate >= 0.1;
}

/// Has the last third of the steps found no half of the best residual before? `size(k)` is the
/// residual's after k steps.
template <class F>
bool rests(int steps, F&& size) {
  constexpr int least = 30;  // steps from which a third says something
  if (steps < least) return false;
  const auto best = [&](int from, int to) {
    double m = size(from);
    for (int k = from + 1; k < to; ++k) m = std::min(m, size(k));
    return m;
  };
  const int last = steps - steps / 3;
  return !(best(last, steps + 1) < 0.5 * best(0, last));
}

bool stagnated(const run_end& end) {
  const auto n = static_cast<std::size_t>(end.step);
  if (end.history.size() > n) return rests(end.step, [&](int k) { return end.history[k]; });
  if (end.coefficients.size() > n)
    return rests(end.step, [&](int k) { return std::sqrt(end.coefficients[k].weight); });
  return false;
}

std::string advice(const cg_report& r) {
  if (r.stopped == stop_reason::iteration_limit) {
    std::vector<const char*> tries;
    if (!r.stagnated) tries.push_back("more iterations");
    if (r.preconditioner == preconditioner::none) tries.push_back("a preconditioner (jacobi)");
    if (r.stagnated && r.variant == "pipelined")
      tries.push_back("variant single-reduction or textbook");
    if (r.stagnated && r.precision == "f32") tries.push_back("f64");
    if (tries.empty()) tries.push_back("more iterations, or a better start vector");
    return fmt::format("{}: try {}",
                       r.stagnated ? "the residual stagnates, the last third of the iterations did "
                                     "not halve it"
                                   : "the residual still falls",
                       fmt::join(tries, ", "));
  }
  const bool failed = r.stopped == stop_reason::breakdown || r.stopped == stop_reason::not_finite;
  if (failed && r.precision == "f32") return "f32 may be too short for this matrix: try f64";
  return {};
}

}  // namespace

double scaled_norms::relative(double scaled) const {
  if (rhs == 0.0) return std::ldexp(scaled, by.vectors);
  return std::ldexp(scaled / rhs, by.vectors - by.rhs);
}

double scaled_norms::target(const cg_options& o) const {
  return std::max(o.rtol * std::ldexp(rhs, by.rhs - by.vectors), std::ldexp(o.atol, -by.vectors));
}

double scaled_norms::rhs_norm() const { return std::ldexp(rhs, by.rhs); }

template <class T>
void judge(const csr_view<T>& a, std::span<const T> b, std::span<const T> x,
           const scaled_norms& norms, run_end end, const cg_options& o, cg_report& report) {
  report.iterations = std::max(end.step, 0);
  report.stopped = end.representable ? reason_of(end.stop) : stop_reason::not_finite;
  report.per_iteration_us = report.iterations ? report.solve_s * 1e6 / report.iterations : 0.0;
  report.residual_relative_recursive = norms.relative(std::sqrt(end.rr));
  const std::vector<double> r = true_residual<T>(a, b, x, norms.by);
  report.residual_relative_true = norms.relative(norm_of(r));
  // Under rounding's own level (what the last bit of x moves) two residuals need not agree.
  const double lower = std::min(report.residual_relative_true, report.residual_relative_recursive);
  const double upper = std::max(report.residual_relative_true, report.residual_relative_recursive);
  // Where numbers ended that is what there is to say.
  report.residuals_disagree = report.stopped != stop_reason::not_finite && !(upper <= 10.0 * lower);

  if (!o.fixed_iterations && norms.rhs > 0.0) estimate_error(a, b, r, norms.by, end, report);
  if (!o.fixed_iterations) {
    report.stagnated = report.stopped == stop_reason::iteration_limit && stagnated(end);
    report.advice = advice(report);
  }
  report.history = std::move(end.history);
  for (double& h : report.history) h = std::ldexp(h, norms.by.vectors);
}

template void judge(const csr_view<double>&, std::span<const double>, std::span<const double>,
                    const scaled_norms&, run_end, const cg_options&, cg_report&);
template void judge(const csr_view<float>&, std::span<const float>, std::span<const float>,
                    const scaled_norms&, run_end, const cg_options&, cg_report&);

}  // namespace dwell
