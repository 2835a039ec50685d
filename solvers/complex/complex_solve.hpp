// SPDX-License-Identifier: MIT
// A solve of a complex system: one run after another, until the true residual meets the tolerance
// or nothing helps. Private to the solver.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <complex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/power_of_two.hpp"
#include "dwell/execution/device/run_control.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/complex/complex_check.hpp"
#include "dwell/solvers/complex/complex_choice.hpp"
#include "dwell/solvers/complex/complex_residual.hpp"
#include "dwell/solvers/complex/complex_run.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/run/system_scale.hpp"
#include "dwell/solvers/linear/run/verification.hpp"

namespace dwell {

/// More than rounding explains of the imaginary part of p^H A p.
template <class R>
inline constexpr double much_skew = sizeof(R) == 8 ? 1e-6 : 1e-2;

/// The runs of one right-hand side. State: of a complex_solver.
template <class R, class State>
class complex_solve {
  using number = std::complex<R>;
  using value = complex_value<R>;

 public:
  complex_solve(State& s, std::span<const number> b, std::span<number> x)
      : s_(s), o_(s.options), now_(s.first), b_(b), x_(x), begun_(seconds_on_host()) {}

  solve_report run() {
    check_size(b_.size(), s_.matrix.rows, "right-hand side (b)");
    check_size(x_.size(), s_.matrix.rows, "start vector (x)");
    check_memory(s_.matrix, b_, std::span<const number>(x_));
    check_finite_complex(b_, "right-hand side (b)");
    check_finite_complex(std::span<const number>(x_), "start vector (x)");
    // Zeros are the answer for b = 0: no residual of another start meets a relative tolerance.
    if (largest_exponent(b_) == exponent_of_zero) std::fill(x_.begin(), x_.end(), number());
    by_ = scale_of<R>(s_.facts.exponent, largest_exponent(b_),
                      largest_exponent(std::span<const number>(x_)), INT_MAX);
    norm_ = norm_of(b_, by_.vectors);
    const double in_units = std::ldexp(o_.atol, -by_.vectors);
    goal_ = std::max(o_.rtol * norm_, in_units);
    const complex_residual of_start = residual();
    best_ = of_start;
    s_.take(now_);
    report_ = s_.run->prepared();
    report_.method_reason = now_.method_reason;
    report_.preconditioner_reason = now_.preconditioner_reason;
    report_.rhs_norm = std::ldexp(norm_, by_.vectors);
    report_.setup_s = seconds_on_host() - begun_;
    bool rested = attempt(true);
    while (!asked_to_end() && (rested || report_.stopped == stop_reason::breakdown))
      if (!follow(rested, rested)) break;
    refine();
    conclude(of_start);
    return report_;
  }

 private:
  bool asked_to_end() const { return o_.interrupt && o_.interrupt->load(); }
  complex_residual residual() const {
    return residual_of(s_.matrix, b_, std::span<const number>(x_), by_.matrix, by_.vectors);
  }
  bool meets(const complex_residual& r) const { return r.norm <= goal_; }
  double relative(double norm) const {
    return norm_ > 0.0 ? norm / norm_ : std::ldexp(norm, by_.vectors);
  }

  /// A run from x, whose answer x becomes if its residual is smaller. judged: it ends where it
  /// rests and something may follow. Returns whether it has.
  bool attempt(bool judged = false) {
    const auto n = x_.size();
    std::vector<value> b(n), x(n);
    const power_of_two to_b(-by_.vectors), to_x(-by_.answer()), from_x(by_.answer());
    const auto scaled = [](const power_of_two& by, auto re, auto im) {
      return value(static_cast<R>(by(re)), static_cast<R>(by(im)));
    };
    for (std::size_t i = 0; i < n; ++i) {
      b[i] = scaled(to_b, b_[i].real(), b_[i].imag());
      x[i] = scaled(to_x, x_[i].real(), x_[i].imag());
    }
    s_.run->put(b, x);
    run_control control;
    control.interrupt = o_.interrupt;
    control.progress_interval = o_.progress_interval;
    const int before = report_.iterations;
    const double begun = seconds_on_host();
    if (o_.progress)
      control.progress = [&](int step, double norm) {
        return o_.progress(
            {before + step, relative(norm), relative(goal_), seconds_on_host() - begun});
      };
    std::optional<resting_run> judge;
    if (judged && now_.factors_are_next()) judge.emplace(goal_, s_.matrix.rows);
    s_.run->ask(judge ? &*judge : nullptr);
    const complex_end end = s_.run->run({goal_ * goal_, o_.max_iterations - before}, control);
    s_.run->ask(nullptr);
    s_.run->get(x);
    const std::vector<number> old(x_.begin(), x_.end());
    bool representable = true;
    for (std::size_t i = 0; i < n; ++i) {
      const value v = scaled(from_x, x[i].re, x[i].im);
      representable = representable && v.re - v.re == R(0) && v.im - v.im == R(0);
      x_[i] = number(v.re, v.im);
    }
    add(end);
    if (!representable) report_.stopped = stop_reason::not_finite;
    const complex_residual now = residual();
    const bool better = representable && (now.norm < best_.norm || best_.norm != best_.norm);
    // A run that converged stays where the start was as good.
    if (representable && (better || now.norm == best_.norm))
      best_ = now;
    else
      std::copy(old.begin(), old.end(), x_.begin());
    report_.attempts.push_back({report_.method, report_.preconditioner, end.step,
                                relative(now.norm), 0.0, end.seconds, to_string(report_.stopped)});
    const bool rested =
        judge && judge->ended() && report_.stopped == stop_reason::interrupted && !asked_to_end();
    if (rested) {
      report_.stopped = stop_reason::iteration_limit;
      report_.stagnated = true;
    }
    return rested;
  }

  void add(const complex_end& end) {
    report_.stopped = reason_of(end.stop);
    report_.iterations += end.step;
    moved_ += double(end.step) * double(s_.run->prepared().bytes_per_iteration);
    report_.solve_s += end.seconds;
    skew_ = std::max(skew_, end.skew);
    report_.residual_relative_recursive =
        end.rr >= 0.0 ? relative(std::sqrt(end.rr)) : relative(best_.norm);
    for (std::size_t k = report_.history.empty() ? 0 : 1; k < end.history.size(); ++k)
      report_.history.push_back(std::ldexp(end.history[k], by_.vectors));
  }

  /// Goes on with incomplete factors, or with gmres, where a run broke down or rested; with the
  /// same where it rested and there is neither. Whether something followed.
  bool follow(bool rests, bool& rested) {
    const double begun = seconds_on_host();
    const std::string end = rests ? " stagnated" : " broke down";
    complex_choice next = now_;
    std::string why;
    if (now_.factors_are_next()) {
      next.factors_may_follow = now_.factors_may_follow = false;
      next.with = preconditioner::ilu0;
      next.preconditioner_reason = why = fmt::format("method {} with jacobi{}", now_.method, end);
      try {
        const interruption_scope scope([this] { return asked_to_end(); });
        s_.take(next);
      } catch (const interrupted_error&) {  // the answer so far is kept
        report_.stopped = stop_reason::interrupted;
        report_.stagnated = false;
        return false;
      } catch (const error& e) {  // no factors, too little memory
        report_.preconditioner_note = e.what();
        next = now_;
      }
    }
    if (next.with == now_.with && now_.another_method_is_next()) {
      next.method = "gmres";
      next.method_reason = why = "method " + now_.method + end;
    }
    const bool same = next.with == now_.with && next.method == now_.method;
    if (same && !rests) return false;
    if (same) why = now_.method + end;
    now_ = next;
    s_.take(now_);
    const solve_report before = report_;
    report_ = s_.run->prepared();
    report_.method_reason = now_.method_reason;
    report_.preconditioner_reason = now_.preconditioner_reason;
    report_.preconditioner_note = before.preconditioner_note;
    report_.rhs_norm = before.rhs_norm;
    report_.setup_s = before.setup_s;
    report_.iterations = before.iterations;
    report_.solve_s = before.solve_s;
    report_.history = before.history;
    report_.attempts = before.attempts;
    report_.attempts.back().ended = why;
    const double set_up = seconds_on_host() - begun;
    if (report_.iterations >= o_.max_iterations) {
      report_.stopped = stop_reason::iteration_limit;
      return false;
    }
    rested = attempt(now_.factors_are_next());
    report_.attempts.back().setup_s = set_up;
    return true;
  }

  /// Begins anew from x as long as that helps.
  void refine() {
    const auto in_need = [&] {
      return report_.stopped == stop_reason::converged && goal_ > 0.0 && !meets(best_);
    };
    if (!o_.refine || o_.fixed_iterations) return;
    while (in_need()) {
      if (asked_to_end()) {
        report_.stopped = stop_reason::interrupted;
        return;
      }
      if (report_.iterations >= o_.max_iterations) {
        report_.stopped = stop_reason::iteration_limit;
        return;
      }
      const double before = best_.norm;
      attempt();
      ++report_.refinements;
      if (report_.stopped == stop_reason::iteration_limit ||
          report_.stopped == stop_reason::interrupted)
        return;
      if (!meets(best_) && !(best_.norm <= promising * before)) {
        report_.stopped = stop_reason::accuracy_limit;
        return;
      }
      report_.stopped = stop_reason::converged;
    }
  }

  void conclude(const complex_residual& of_start) {
    solve_report& r = report_;
    r.residual_relative_true = relative(best_.norm);
    r.componentwise_backward_error = best_.by_terms;
    if (r.stopped == stop_reason::not_finite || r.stopped == stop_reason::breakdown)
      if (best_.norm == of_start.norm) r.residual_relative_recursive = r.residual_relative_true;
    const double lower = std::min(r.residual_relative_true, r.residual_relative_recursive),
                 upper = std::max(r.residual_relative_true, r.residual_relative_recursive);
    r.residuals_disagree = r.stopped != stop_reason::not_finite && r.residual_relative_true > 0.0 &&
                           !(upper <= 10.0 * lower);
    r.target_missed =
        (r.stopped == stop_reason::converged || r.stopped == stop_reason::accuracy_limit) &&
        !meets(best_);
    r.rows_missed = misses_rows(r, best_.by_row);
    r.per_iteration_us = r.iterations > 0 ? r.solve_s * 1e6 / r.iterations : 0.0;
    if (r.iterations > 0) r.bytes_per_iteration = static_cast<std::size_t>(moved_ / r.iterations);
    r.finish_s = std::max(0.0, seconds_on_host() - begun_ - r.setup_s - r.solve_s);
    if (!o_.fixed_iterations) r.advice = advice();
  }

  std::string advice() const {
    const solve_report& r = report_;
    const bool single = sizeof(R) == sizeof(float);
    if (r.stopped == stop_reason::converged && !r.target_missed) return {};
    if (r.stopped == stop_reason::interrupted) return {};
    if (skew_ > much_skew<R>)
      return fmt::format(
          "the imaginary part of p^H A p came to {:.1e} of its real one: the matrix is not "
          "Hermitian: try method bicgstab or gmres",
          skew_);
    const std::string jacobi = r.preconditioner == preconditioner::none && s_.facts.full_diagonal
                                   ? ", a preconditioner (jacobi)"
                                   : "";
    if (r.stopped == stop_reason::breakdown && r.method == "cg")
      return "the matrix is not positive definite: try method gmres";
    if (r.stopped == stop_reason::breakdown && r.method == "gmres")
      return "no step makes the residual smaller: the matrix is singular, or nearly so";
    if (r.stopped == stop_reason::breakdown && r.method == "bicgstab")
      return "the iteration lost its digits: try method gmres" + jacobi;
    if (r.stopped == stop_reason::accuracy_limit || r.target_missed)
      return fmt::format("rounding allows no smaller true residual: try {}a larger tolerance",
                         single ? "f64, " : "");
    if (r.stopped == stop_reason::iteration_limit)
      return fmt::format("the limit of iterations came first: try more iterations{}{}", jacobi,
                         r.method == "gmres" && o_.restart < s_.matrix.rows ? ", a larger restart"
                         : r.method == "bicgstab"                           ? ", method gmres"
                                                                            : "");
    return single ? "f32 may be too short for this matrix: try f64" : "";
  }

  State& s_;
  const solve_options& o_;
  complex_choice now_;
  std::span<const number> b_;
  std::span<number> x_;
  double begun_;
  system_scale by_;
  double moved_ = 0;            ///< bytes of all iterations
  double norm_ = 0, goal_ = 0;  ///< norm of b, and goal of residuals: in units of 2^by_.vectors
  double skew_ = 0;
  complex_residual best_;  ///< residual of x
  solve_report report_;
};

}  // namespace dwell
