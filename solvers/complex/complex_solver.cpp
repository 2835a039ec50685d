// SPDX-License-Identifier: MIT
// Complex systems: check, choose, prepare; then runs one after another, until the true residual
// meets the tolerance or nothing helps.
#include "dwell/linear/complex_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/base/power_of_two.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/solvers/complex/complex_check.hpp"
#include "dwell/solvers/complex/complex_residual.hpp"
#include "dwell/solvers/complex/complex_run.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"
#include "dwell/solvers/linear/run/system_scale.hpp"
#include "dwell/solvers/linear/run/verification.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

/// More than rounding explains of the imaginary part of p^H A p.
template <class R>
constexpr double much_skew = sizeof(R) == 8 ? 1e-6 : 1e-2;

/// The caller's numbers as kernels take them.
template <class R>
const complex_value<R>* as_values(const std::complex<R>* v) {
  static_assert(sizeof(std::complex<R>) == sizeof(complex_value<R>));
  return reinterpret_cast<const complex_value<R>*>(v);
}

}  // namespace

template <class R>
struct complex_solver<R>::state {
  using value = complex_value<R>;

  state(const device& where, const csr_view<number>& a, const solve_options& o)
      : options(o),
        setup{where.on() == backend::cuda ? start_cuda(where.ordinal()) : 0.0},
        matrix(a),
        queue(where),
        target(target_of(queue.where())) {
    csr_view<value> values{a.rows, a.cols, a.row_ptr, a.col, nullptr};
    {
      const lap_timer time(setup.check_s);
      check_matrix_memory(a);
      check(a);
      values.val = aligned_values(a);
      facts = look_at<R>(values, !o.assume_symmetric);
      choose(where.on());
    }
    scale = matrix_scale<R>(facts.exponent);
    {
      const lap_timer time(setup.upload_s);
      placed.emplace(queue.where(), values);
      cuts.emplace(queue.where(), placed->arrays());
    }
    if (const auto& kind = kind_of(options.preconditioner); kind.is_sequence()) {
      const lap_timer time(setup.preconditioner_s);
      sequence =
          kind.template make<value>()(queue.where(), placed->arrays(), options.preconditioning);
    }
    take(method);
  }

  /// The caller's own values, or a copy of them where they are not aligned as kernels need them.
  const value* aligned_values(const csr_view<number>& a) {
    if (reinterpret_cast<std::uintptr_t>(a.val) % alignof(value) == 0) return as_values(a.val);
    aligned.reserve(static_cast<std::size_t>(a.nonzeros()));
    for (index k = 0; k < a.nonzeros(); ++k) aligned.emplace_back(a.val[k].real(), a.val[k].imag());
    return aligned.data();
  }

  /// Method and preconditioner.
  void choose(backend on) {
    solve_options& o = options;
    method_reason = preconditioner_reason = "as asked";
    open = o.method == automatic;
    if (open) {
      const bool definite = facts.hermitian && facts.positive_diagonal;
      o.method = definite ? "cg" : "bicgstab";
      method_reason = definite          ? "the matrix is Hermitian with a positive diagonal"
                      : facts.hermitian ? "the matrix is Hermitian, its diagonal not all positive"
                                        : "the matrix is not Hermitian";
    }
    if (o.preconditioner == preconditioner::automatic) {
      o.preconditioner = facts.full_diagonal ? preconditioner::jacobi : preconditioner::none;
      preconditioner_reason =
          facts.full_diagonal ? "the diagonal has no zero" : "the diagonal has a zero";
    }
    check_complex_demands(facts, o, on);
    method = o.method;
  }

  /// Prepares the run of a method, unless it is there.
  void take(const std::string& wanted) {
    if (run && run->prepared().method == wanted) return;
    const double cut_before = cuts->seconds();
    double seconds = 0;
    {
      const lap_timer time(seconds);
      solve_options o = options;
      o.method = wanted;
      run.reset();
      run = make_complex_run<R>(queue.where(), target, *cuts, o, -scale,
                                sequence ? &sequence->products : nullptr);
      if (o.preconditioner == preconditioner::jacobi) run->put_diagonal(inverse_diagonal());
    }
    setup.cut_s += cuts->seconds() - cut_before;
    setup.compile_s += run->making().seconds;
    setup.load_s += std::max(0.0, seconds - (cuts->seconds() - cut_before) - run->making().seconds);
  }

  /// 1 / (2^-scale a_ii).
  std::vector<value> inverse_diagonal() const {
    const power_of_two by(-scale);
    std::vector<value> d;
    d.reserve(static_cast<std::size_t>(matrix.rows));
    for (index i = 0; i < matrix.rows; ++i) {
      const index* const begin = matrix.col + matrix.row_ptr[i];
      const index* const end = matrix.col + matrix.row_ptr[i + 1];
      const number v = matrix.val[std::lower_bound(begin, end, i) - matrix.col];
      const complex_value<double> scaled(by(v.real()), by(v.imag()));
      d.emplace_back(quotient(complex_value<double>(1.0), scaled));
    }
    return d;
  }

  solve_options options;  ///< method and preconditioner as they were chosen
  solve_setup setup;
  csr_view<number> matrix;
  work_queue queue;
  plan_target target;
  complex_facts facts;
  std::vector<value> aligned;  ///< values of a matrix that are not aligned as kernels need them
  std::optional<placed_csr<value>> placed;
  std::optional<cut_cache<value>> cuts;
  std::optional<prepared_preconditioner> sequence;  ///< where the preconditioner is one
  std::unique_ptr<complex_run<R>> run;
  std::string method, method_reason, preconditioner_reason;
  bool open = false;  ///< the method may change
  int scale = 0;      ///< the matrix is divided by 2^scale
};

namespace {

/// A solve: the runs of one right-hand side.
template <class R, class State>
class complex_solve {
  using number = std::complex<R>;
  using value = complex_value<R>;

 public:
  complex_solve(State& s, std::span<const number> b, std::span<number> x)
      : s_(s), o_(s.options), b_(b), x_(x), begun_(seconds_on_host()) {}

  solve_report run() {
    check_size(b_.size(), s_.matrix.rows, "right-hand side (b)");
    check_size(x_.size(), s_.matrix.rows, "start vector (x)");
    check_memory(s_.matrix, b_, std::span<const number>(x_));
    check_finite_complex(b_, "right-hand side (b)");
    check_finite_complex(std::span<const number>(x_), "start vector (x)");
    by_ = scale_of<R>(s_.facts.exponent, largest_exponent(b_),
                      largest_exponent(std::span<const number>(x_)), INT_MAX);
    norm_ = norm_of(b_, by_.vectors);
    const double in_units = std::ldexp(o_.atol, -by_.vectors);
    goal_ = std::max(o_.rtol * norm_, in_units);
    const complex_residual of_start = residual();
    best_ = of_start;
    s_.take(s_.method);
    report_ = s_.run->prepared();
    report_.method_reason = s_.method_reason;
    report_.preconditioner_reason = s_.preconditioner_reason;
    report_.rhs_norm = std::ldexp(norm_, by_.vectors);
    report_.setup_s = seconds_on_host() - begun_;
    attempt();
    if (s_.open && s_.method != "gmres" && report_.stopped == stop_reason::breakdown &&
        !asked_to_end())
      change_method();
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

  /// A run from x, whose answer x becomes if its residual is smaller. Returns whether it was.
  bool attempt() {
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
    const complex_end end = s_.run->run({goal_ * goal_, o_.max_iterations - before}, control);
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
    return better;
  }

  void add(const complex_end& end) {
    report_.stopped = reason_of(end.stop);
    report_.iterations += end.step;
    report_.solve_s += end.seconds;
    skew_ = std::max(skew_, end.skew);
    report_.residual_relative_recursive =
        end.rr >= 0.0 ? relative(std::sqrt(end.rr)) : relative(best_.norm);
    for (std::size_t k = report_.history.empty() ? 0 : 1; k < end.history.size(); ++k)
      report_.history.push_back(std::ldexp(end.history[k], by_.vectors));
  }

  /// gmres where the method broke down.
  void change_method() {
    const double begun = seconds_on_host();
    const std::string why = "method " + s_.method + " broke down";
    s_.take("gmres");
    const solve_report before = report_;
    report_ = s_.run->prepared();
    report_.method_reason = why;
    report_.preconditioner_reason = before.preconditioner_reason;
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
      return;
    }
    attempt();
    report_.attempts.back().setup_s = set_up;
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
    r.rows_missed =
        r.stopped == stop_reason::converged && !r.target_missed && best_.by_row >= much_of_row;
    r.per_iteration_us = r.iterations > 0 ? r.solve_s * 1e6 / r.iterations : 0.0;
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
  std::span<const number> b_;
  std::span<number> x_;
  double begun_;
  system_scale by_;
  double norm_ = 0, goal_ = 0;  ///< norm of b, and goal of residuals: in units of 2^by_.vectors
  double skew_ = 0;
  complex_residual best_;  ///< residual of x
  solve_report report_;
};

/// The set-up ends with interrupted_error once the flag is set.
auto ends_with(const std::atomic<bool>* flag) {
  return [flag, was_set = flag && flag->load()] { return flag && !was_set && flag->load(); };
}

template <class R>
solve_report solve_once(const device& where, const csr_view<std::complex<R>>& a,
                        std::span<const std::complex<R>> b, std::span<std::complex<R>> x,
                        const solve_options& options) {
  complex_solver<R> solver(where, a, options);
  const double prepared = solver.setup().total();
  solve_report report = solver.solve(b, x);
  report.setup = solver.setup();
  report.setup_s += prepared;
  return report;
}

}  // namespace

template <class R>
complex_solver<R>::complex_solver(const device& where, const csr_view<number>& a,
                                  const solve_options& options) {
  check_complex_options(options);
  const interruption_scope scope(ends_with(options.interrupt));
  s_ = std::make_unique<state>(where, a, options);
}
template <class R>
complex_solver<R>::complex_solver(complex_solver&&) noexcept = default;
template <class R>
complex_solver<R>& complex_solver<R>::operator=(complex_solver&&) noexcept = default;
template <class R>
complex_solver<R>::~complex_solver() = default;

template <class R>
index complex_solver<R>::rows() const {
  return s_->matrix.rows;
}
template <class R>
index complex_solver<R>::nonzeros() const {
  return s_->matrix.nonzeros();
}
template <class R>
const solve_setup& complex_solver<R>::setup() const {
  return s_->setup;
}
template <class R>
solve_report complex_solver<R>::solve(std::span<const number> b, std::span<number> x) {
  return complex_solve<R, state>(*s_, b, x).run();
}
template <class R>
void complex_solver<R>::set_tolerances(double rtol, double atol) {
  solve_options changed = s_->options;
  changed.rtol = rtol;
  changed.atol = atol;
  check_complex_options(changed);
  s_->options = std::move(changed);
}
template <class R>
void complex_solver<R>::set_progress(progress_function<solve_progress> progress) {
  s_->options.progress = std::move(progress);
}

template class complex_solver<double>;
template class complex_solver<float>;

solve_report solve(const device& where, const csr_view<std::complex<double>>& a,
                   std::span<const std::complex<double>> b, std::span<std::complex<double>> x,
                   const solve_options& options) {
  return solve_once<double>(where, a, b, x, options);
}
solve_report solve(const device& where, const csr_view<std::complex<float>>& a,
                   std::span<const std::complex<float>> b, std::span<std::complex<float>> x,
                   const solve_options& options) {
  return solve_once<float>(where, a, b, x, options);
}

}  // namespace dwell
