// SPDX-License-Identifier: MIT
// Attempts in f32, and how far each is to go.
#include "dwell/solvers/linear/mixed/mixed_precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/linear/choose/advice.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"
#include "dwell/solvers/linear/run/attempts.hpp"
#include "dwell/solvers/linear/run/verification.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {
namespace {

// By counts on some 40 systems (docs/results/mixed-precision.md). An attempt pays for its first
// iterations, in which a Krylov method has learnt nothing yet, so attempts are few; but what f32
// cannot reach costs iterations without an end. All in parts of the residual that one begins with.
constexpr double least_left = 1e-5;  ///< no attempt is to leave less
constexpr double most_left = 0.1;    ///< one that leaves more is the last in f32
/// The true residual is larger than the carried one: by so much at least, and at most as is asked
/// for in advance.
constexpr double margin = 1.1, most_drift = 4.0;
/// Iterations of an attempt: many more than rows are a sign of rounding. Too few end good attempts.
int most_iterations(double rows) {
  return static_cast<int>(std::min(rows, INT_MAX / 8.0)) * 4 + 500;
}

/// Options of the solver in f32.
solve_options options_in_f32(const solve_options& o, bool constant_null_space) {
  solve_options inner = o;
  inner.mixed_precision = false;
  inner.refine = false;
  inner.atol = 0;
  inner.assume_symmetric = true;  // the f64 matrix has been looked at
  if (o.null_vectors.empty()) inner.null_space = constant_null_space ? "constant" : "none";
  // Whether runs record every step is decided when they are prepared.
  if (o.progress) inner.progress = [](const solve_progress&) {};
  return inner;
}

double norm_of(double squared) { return std::sqrt(squared); }

}  // namespace

double attempt_tolerance::next(double needed) const {
  if (!(needed > 0.0)) return least_left;
  const double attempts = std::ceil(std::log(needed) / std::log(least_left) - 0.25);
  return std::max(least_left, std::pow(needed, 1.0 / std::max(1.0, attempts)) / drift_);
}

bool attempt_tolerance::learn(double asked, double left) {
  drift_ = std::clamp(margin * left / asked, margin, most_drift);
  return left <= most_left;
}

mixed_precision_run::mixed_precision_run(const device& where, const prepared_system<double>& matrix,
                                         const solve_options& options, bool constant_null_space,
                                         solve_setup& setup)
    : where_(where),
      matrix_(matrix),
      steps_(mixed_steps_of(where.on())),
      wants_history_(options.history) {
  const large_csr_arrays<double>& a = matrix.arrays();
  const auto n = static_cast<std::size_t>(a.rows);
  {
    const lap_timer time(setup.upload_s);
    val_ = {where, static_cast<std::size_t>(a.nonzeros), fresh::unset};
    take_values(a);
  }
  inner_ = inner_solver(options_in_f32(options, constant_null_space));
  setup += inner_->setup;
  const lap_timer time(setup.upload_s);
  for (buffer<double>* v : {&rhs_, &residual_}) *v = {where, n, fresh::unset};
  for (buffer<double>* v : {&x_, &trial_})  // with ghosts, of several ranks
    *v = {where, static_cast<std::size_t>(a.cols), fresh::unset};
  if (const row_ranks* const ranks = matrix.ranks()) {
    ghosts_of_x_ = vector_ghosts(where, *ranks, x_.data());
    ghosts_of_trial_ = vector_ghosts(where, *ranks, trial_.data());
  }
  for (buffer<float>* v : {&inner_->work.b, &inner_->work.x})
    if (v->size() < n) *v = {where, n, fresh::unset};
  if (inner_->options.preconditioner == preconditioner::jacobi)
    inverse_diagonal_ = {where, n, fresh::unset};
  partial_ = {where, solve_partials(a.rows), fresh::unset};
  done_ = {where, 1};
  scalars_ = {where, 1};
}

mixed_precision_run::~mixed_precision_run() = default;

void mixed_precision_run::take_values(const large_csr_arrays<double>& a) {
  exponent_ = matrix_scale<float>(matrix_.facts().exponent);
  steps_.narrow(where_, a.nonzeros, a.val, -exponent_, val_.data());
}

std::unique_ptr<prepared_solver<float>> mixed_precision_run::inner_solver(const solve_options& o) {
  std::unique_ptr<prepared_solver<float>> made;
  if (matrix_.ranks()) {
    made = std::make_unique<prepared_solver<float>>(
        where_, narrowed_rows(where_, matrix_, val_.data(), values_here_, demand_of(o)), o);
  } else {
    const large_csr_arrays<double>& a = matrix_.arrays();
    const large_csr_arrays<float> single{a.rows, a.cols, a.nonzeros, a.row_ptr, a.col, val_.data()};
    made = std::make_unique<prepared_solver<float>>(where_, single, o);
  }
  made->choose();
  made->plan();
  return made;
}

void mixed_precision_run::refill(const large_csr_arrays<double>& a, int) {
  inner_->setup = {};
  {
    const lap_timer time(inner_->setup.upload_s);
    take_values(a);
  }
  if (matrix_.ranks())
    inner_->matrix.update(
        narrowed_rows(where_, matrix_, val_.data(), values_here_, demand_of(inner_->options)),
        inner_->setup);
  else
    inner_->matrix.update_in_place(inner_->setup);
  inner_->refresh();
}

run_places<double> mixed_precision_run::places(int) {
  scalars* const w = scalars_.data();
  return {x_.data(),   rhs_.data(), 1,        inverse_diagonal_.data(),
          &w->target2, &w->step,    &w->stop, &w->rr};
}

void mixed_precision_run::reset() { scalars_.upload({&(now_ = scalars{}), 1}); }

std::vector<double> mixed_precision_run::history(std::size_t count) const {
  return {history_.begin(),
          history_.begin() + static_cast<std::ptrdiff_t>(std::min(count, history_.size()))};
}

double mixed_precision_run::residual_of(const buffer<double>& x) {
  (&x == &x_ ? ghosts_of_x_ : ghosts_of_trial_).exchange(where_);
  residual_places at;
  at.a = matrix_.arrays();
  at.exponent = -matrix_.scale_exponent();
  at.b = rhs_.data();
  at.x = x.data();
  at.r = residual_.data();
  at.rr = &scalars_.data()->rr;
  at.partial = partial_.data();
  at.done = done_.data();
  steps_.residual(where_, at);
  scalars found;
  scalars_.download({&found, 1});
  if (const row_ranks* const ranks = matrix_.ranks())
    combine_over_ranks(*ranks->comm, &found.rr, 1,
                       [](double* to, const double* from) { *to += *from; });
  return found.rr;
}

void mixed_precision_run::begin_attempt(double tolerance, const run_control& control) {
  prepared_solver<float>& in = *inner_;
  const index n = in.matrix.rows();
  unit_ = std::ilogb(norm_of(now_.rr));
  steps_.narrow(where_, n, residual_.data(), -unit_, in.work.b.data());
  if (n > 0) steps_.clear(where_, n, in.work.x.data());
  in.options.rtol = tolerance;
  in.options.max_iterations = std::min(limit_ - now_.step, most_iterations(matrix_.all_rows()));
  if (control.progress)
    in.options.progress = [this, &control, norm = norm_of(now_.rr)](const solve_progress& p) {
      if (now_.step > 0 && p.iteration == 0) return true;  // the attempt before has told
      return control.progress(now_.step + p.iteration, norm * p.relative_residual);
    };
}

void mixed_precision_run::add_history(const solve_report& of) {
  if (!wants_history_) return;
  for (std::size_t k = 1; k < of.history.size(); ++k)
    history_.push_back(std::ldexp(of.history[k], unit_));
}

bool mixed_precision_run::attempt_and_take(double asked, const run_control& control) {
  begin_attempt(asked, control);
  const double further = std::min(1.0, norm_of(now_.target2) / norm_of(now_.rr) / asked);
  const index n = inner_->matrix.rows();
  solve_workspace<float>& in = inner_->work;
  attempts<float> solve(*inner_, in.b.data(), in.x.data(), seconds_on_host(), further);
  const solve_report& of = solve.answer();
  now_.step += of.iterations;
  add_history(of);
  if (attempts_++ == 0) condition_ = of.condition_estimate;
  more_ += of.setup;
  // A' d = r' where A' and the f32 matrix are the caller's by two powers of two.
  steps_.add(where_, n, x_.data(), in.x.data(), unit_ + matrix_.scale_exponent() - exponent_,
             trial_.data());
  const double before = now_.rr, after = residual_of(trial_);
  const bool better = after < before;  // no NaN is
  if (better) {
    memory_of(where_.on())
        .copy(where_, x_.data(), trial_.data(), static_cast<std::size_t>(n) * sizeof(double));
    now_.rr = after;
  }
  if (!history_.empty() && of.iterations > 0) history_.back() = norm_of(now_.rr);
  if (now_.rr <= now_.target2)
    now_.stop = run_outcome::converged;
  else if (solve.was_refused() || of.stopped == stop_reason::interrupted)
    now_.stop = run_outcome::interrupted;
  else if (now_.step >= limit_)
    now_.stop = run_outcome::iteration_limit;
  else if (!tolerance_.learn(asked, better ? norm_of(after) / norm_of(before) : 1.0)) {
    broke_down_ = of.stopped == stop_reason::breakdown;
    now_.stop = broke_down_ ? run_outcome::breakdown : run_outcome::converged;
    const bool slow =
        of.stopped == stop_reason::converged || of.stopped == stop_reason::iteration_limit;
    too_short_ = fmt::format(
        "after {} iterations f32 {}", now_.step,
        slow ? "no longer reduced the residual in f64" : "ended by " + to_string(of.stopped));
  }
  return now_.stop == run_outcome::running;
}

void mixed_precision_run::iterate(run_control& control) {
  now_.rr = residual_of(x_);
  if (wants_history_) history_.push_back(norm_of(now_.rr));
  if (!std::isfinite(now_.rr))
    now_.stop = run_outcome::not_finite;
  else if (now_.rr <= now_.target2)
    now_.stop = run_outcome::converged;
  else if (limit_ <= 0)
    now_.stop = run_outcome::iteration_limit;
  if (now_.stop != run_outcome::running && control.progress)  // no attempt tells of the start
    control.progress(0, norm_of(now_.rr));
  while (now_.stop == run_outcome::running) {
    const double asked = tolerance_.next(norm_of(now_.target2) / norm_of(now_.rr));
    if (!attempt_and_take(asked, control)) break;
  }
}

void mixed_precision_run::start(run_control& control) {
  const double begun = seconds_on_host();
  inner_->begin_anew();
  scalars_.download({&now_, 1});
  unit_ = attempts_ = 0;
  tolerance_ = {};
  history_.clear();
  too_short_.clear();
  broke_down_ = false;
  condition_ = 0;
  more_ = {};
  iterate(control);
  scalars_.upload({&now_, 1});
  seconds_ = seconds_on_host() - begun - more_.total();
}

solve_report mixed_precision_run::prepared() const {
  solve_report report = inner_->runs.current().prepared;
  report.precision = "mixed";
  report.preconditioner_reason = inner_->now.preconditioner_reason;
  report.reason += "; residuals and x in f64, iterations in f32";
  return report;
}

void mixed_precision_run::conclude(solve_report& report) const {
  report.refinements = std::max(attempts_ - 1, 0);
  report.setup += more_;
  report.setup_s += more_.total();
  if (too_short_.empty() || broke_down_) return;
  report.stopped = stop_reason::accuracy_limit;
  report.target_missed = true;
  report.advice = advice_of(report, inner_->options, matrix_.facts(), residual_trend::unknown);
}

preconditioner mixed_precision_run::current_preconditioner() const {
  return inner_->options.preconditioner;
}
const std::string& mixed_precision_run::preconditioner_reason() const {
  return inner_->now.preconditioner_reason;
}
const solve_setup& mixed_precision_run::setup() const { return inner_->setup; }

}  // namespace dwell
