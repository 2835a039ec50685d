// SPDX-License-Identifier: MIT
// What follows what in a solve, and one run of it: load the vectors, run, take the answer, judge.
#include "dwell/solvers/linear/run/attempts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "dwell/comm/agreement.hpp"
#include "dwell/solvers/linear/choose/choose_preconditioner.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"
#include "dwell/solvers/linear/run/verification.hpp"

namespace dwell {

template <class T>
attempt attempts<T>::next(attempt last) const {
  switch (last) {
    case attempt::first:
    case attempt::other_method:
      if (!seen_.finite) return attempt::none;
      if (const mixed_run* const mixed = current().mixed)
        return mixed->why_too_short().empty() || asks_for_another_method(s_.now, report_)
                   ? attempt::refinement
                   : attempt::in_f64;
      if (s_.now.probe) return may_go_on() ? attempt::after_probe : attempt::refinement;
      return multigrid_failed() ? attempt::jacobi_again : attempt::refinement;
    case attempt::after_probe:
      if (patience_ < INT_MAX && may_go_on()) return attempt::multigrid;
      return multigrid_failed() ? attempt::jacobi_again : attempt::refinement;
    case attempt::multigrid:
      return multigrid_failed() ? attempt::jacobi_again : attempt::refinement;
    case attempt::jacobi_again:
    case attempt::in_f64:
      return attempt::refinement;
    case attempt::refinement:
      return after_breakdown(s_.now, s_.matrix.facts(), report_) ? attempt::other_method
                                                                 : attempt::none;
    case attempt::none:
      break;
  }
  return attempt::none;
}

template <class T>
void attempts<T>::make(attempt one) {
  switch (one) {
    case attempt::first:
      return begin_with_method();
    case attempt::after_probe:
      return settle_and_go_on();
    case attempt::multigrid:
      return go_on_with_multigrid();
    case attempt::jacobi_again:
      return go_back_to_jacobi();
    case attempt::in_f64:
      return go_on_in_f64();
    case attempt::refinement:
      report_.finish_s = seconds_on_host() - ended_;
      return refine();
    case attempt::other_method:  // it counts as the one from the start
      if (!s_.change_method(report_)) return;
      copy_vector(x_, s_.work.start.data());
      began_ = seconds_on_host();
      return begin_with_method();
    case attempt::none:
      return;
  }
}

template <class T>
const solve_report& attempts<T>::answer() {
  for (attempt one = attempt::first; one != attempt::none; one = next(one)) make(one);
  return report_;
}

template <class T>
bool attempts<T>::was_refused() const {
  const row_ranks* const ranks = s_.matrix.ranks();
  return ranks ? any_of_ranks(*ranks->comm, refused_) : refused_;
}

template <class T>
bool attempts<T>::may_go_on() const {
  return report_.stopped == stop_reason::iteration_limit &&
         report_.iterations < s_.options.max_iterations && !was_refused();
}

template <class T>
bool attempts<T>::multigrid_failed() const {
  const bool failed =
      report_.stopped == stop_reason::breakdown || report_.stopped == stop_reason::not_finite;
  return s_.now.multigrid_open && start_kept_ && s_.now.run.with == preconditioner::amg && failed &&
         report_.iterations < s_.options.max_iterations && !was_refused();
}

/// More than one run may be needed before the start vector is forgotten.
template <class T>
bool attempts<T>::has_choice_left() const {
  return s_.now.multigrid_open || current().mixed || s_.now.method_open;
}

// Attempts --------------------------------------------------------------------------------------

template <class T>
template <class F>
void attempts<T>::setting_up(F&& f) {
  const struct setup_of_solve {
    const solve_setup& all;
    solve_report& report;
    solve_setup before = all;
    ~setup_of_solve() {
      const solve_setup more = difference(all, before);
      report.setup += more;
      report.setup_s += more.total();
    }
  } counts{s_.setup, report_};
  f();
}

template <class T>
void attempts<T>::go_on(int most) {
  begin(&report_, most);
  report_ = joined(report_, end());
}

template <class T>
void attempts<T>::begin_with_method() {
  if (s_.now.multigrid_open && !start_kept_) keep_start(x_);
  begin(nullptr, s_.now.probe ? probe_iterations : INT_MAX);
  report_ = end();
  if (!s_.now.probe || report_.stopped != stop_reason::converged) return;
  s_.now.probe = false;
  s_.now.preconditioner_reason =
      fmt::format("jacobi converged within the {} iterations that were tried", probe_iterations);
  report_.preconditioner_reason = s_.now.preconditioner_reason;
}

template <class T>
void attempts<T>::settle_and_go_on() {
  try {
    setting_up([&] { patience_ = settle(); });
  } catch (const interrupted_error&) {  // with Jacobi's still
    return end_interrupted(report_);
  }
  go_on(patience_);
}

template <class T>
void attempts<T>::go_on_with_multigrid() {
  s_.now.preconditioner_reason += fmt::format("; {} iterations with it were not enough", patience_);
  try {
    setting_up([&] { change_preconditioner(preconditioner::amg); });
  } catch (const interrupted_error&) {
    return end_interrupted(report_);
  }
  go_on();
}

template <class T>
void attempts<T>::go_back_to_jacobi() {
  s_.now.preconditioner_reason +=
      fmt::format("; amg ended by {} after {} iterations, and jacobi goes on",
                  to_string(report_.stopped), report_.iterations);
  copy_vector(x_, s_.work.start.data());
  setting_up([&] { change_preconditioner(preconditioner::jacobi); });
  go_on();
}

template <class T>
void attempts<T>::go_on_in_f64() {
  const mixed_run& mixed = *current().mixed;
  solver_choice other = s_.now;
  other.run = {s_.now.run.method, mixed.current_preconditioner(), false};
  other.why_f64 = mixed.why_too_short();
  other.preconditioner_reason = mixed.preconditioner_reason();
  try {
    setting_up([&] { s_.change(other); });
  } catch (const interrupted_error&) {
    return end_interrupted(report_);
  } catch (const error& e) {  // too little memory, a plan that f64 does not have
    s_.runs.rethrow_of_one_rank(e);
    report_.reason += "; " + other.why_f64 + ", but f64: " + e.what();
    return;
  }
  begin(&report_);
  report_ = joined(report_, end(&report_));
  report_.refinements += 1;
  report_.precision = "mixed";
}

template <class T>
int attempts<T>::settle() {
  const auto steps = static_cast<std::size_t>(report_.iterations);
  const std::vector<step_coefficients> by = current().code->coefficients(steps + 1);
  jacobi_probe shown;
  shown.residual = std::sqrt(seen_.rr);
  shown.target = seen_.target * further_;
  // The weights are squares of the residual's norm in that of the preconditioner.
  if (by.size() > steps && by[steps / 2].weight > 0.0)
    shown.reduction = std::pow(by[steps].weight / by[steps / 2].weight,
                               0.5 / static_cast<double>(steps - steps / 2));
  else
    shown.reduction = 1.0;
  shown.condition = report_.condition_estimate;
  shown.seconds = report_.solve_s / report_.iterations;
  shown.rows = s_.matrix.system.all_rows();
  shown.nonzeros = s_.matrix.arrays().nonzeros;
  if (const row_ranks* const ranks = s_.matrix.ranks()) {  // all go by the same numbers
    shown.ranks = ranks->comm->size();
    shown.nonzeros = 0;
    for (const index one : values_of_ranks(*ranks->comm, s_.matrix.arrays().nonzeros))
      shown.nonzeros += one;
    for (const double one : values_of_ranks(*ranks->comm, shown.seconds))
      shown.seconds = std::max(shown.seconds, one);
  }
  const preconditioner_choice found = choose_after(shown, s_.matrix.where().on());
  s_.now.probe = false;
  s_.now.preconditioner_reason = found.why;
  if (found.is != s_.now.run.with) change_preconditioner(found.is);
  return found.patience;
}

template <class T>
void attempts<T>::change_preconditioner(preconditioner wanted) {
  solver_choice other = s_.now;
  other.run.with = wanted;
  try {
    s_.change(std::move(other));
  } catch (const interrupted_error&) {
    throw;
  } catch (const error& e) {  // too little memory, a policy that has no such kernel
    s_.runs.rethrow_of_one_rank(e);
    s_.now.preconditioner_reason += fmt::format("; but {}: {}", to_string(wanted), e.what());
  }
}

// One run ---------------------------------------------------------------------------------------

template <class T>
int attempts<T>::exponent_of_residual(const solve_report& of) const {
  const double relative = of.residual_relative_true;
  if (!(relative > 0.0) || !std::isfinite(relative)) return INT_MAX;
  return std::ilogb(relative) + (seen_.rhs > 0.0 ? std::ilogb(seen_.rhs) + seen_.by.rhs : 0);
}

template <class T>
solve_places<T> attempts<T>::places_now() const {
  solve_places<T> at = s_.work.places(s_.matrix, current(), s_.options);
  at.b = b_;
  at.x = x_;
  return at;
}

template <class T>
void attempts<T>::begin(const solve_report* so_far, int most, bool quietly) {
  const device& where = s_.matrix.where();
  const bool on_gpu = s_.matrix.on_gpu(), tells = s_.options.progress && !quietly;
  prepared_run<T>& run = *current().code;
  solve_places<T> places = places_now();
  places.start_residual = so_far ? exponent_of_residual(*so_far) : INT_MAX;
  const int done = so_far ? so_far->iterations : 0;
  run.limit(std::min(most, s_.options.max_iterations - done));
  run.reset();
  solve_steps_of<T>(where.on()).begin(where, places);
  run_control control;
  control.interrupt = s_.options.interrupt;
  control.progress_interval = s_.options.progress_interval;
  // A GPU is not waited for unless somebody listens: a run from numbers that are not finite ends at
  // its first step. (Ranks have looked at theirs before.)
  seen_.finite = 1;
  if (!on_gpu || tells) s_.work.numbers.download({&seen_, 1});
  first_ = seconds_on_host();
  if (!so_far) told_from_ = first_, refused_ = false;
  if (!seen_.finite) return;
  if (tells)
    control.progress = [this, done, again = so_far != nullptr](int step, double residual) {
      if (again && step == 0) return true;  // the attempt before has reported this x
      const scaled_norms norms{seen_.by, seen_.rhs};
      const bool go_on =
          s_.options.progress({done + step, norms.relative(residual), norms.relative(seen_.target),
                               seconds_on_host() - told_from_});
      refused_ = refused_ || !go_on;
      return go_on;
    };
  running_.emplace(run, std::move(control));
  // On a GPU all of the run is in the stream now: what the caller puts there next finds the answer.
  if (on_gpu) solve_steps_of<T>(where.on()).end(where, {&places, 1});
}

template <class T>
solve_report attempts<T>::end(const solve_report* so_far) {
  const device& where = s_.matrix.where();
  solver_run<T>& run = current();
  solve_report report = run.mixed ? run.mixed->prepared() : run.prepared;
  report.method_reason = s_.now.method_reason;
  if (!run.mixed) report.preconditioner_reason = s_.now.preconditioner_reason;
  if (!s_.now.why_f64.empty())
    report.reason += "; in f64 instead of mixed precision: " + s_.now.why_f64;
  report.setup_s = first_ - began_;
  if (!seen_.finite) return report;
  report.solve_s = running_->finish();
  ended_ = seconds_on_host();
  if (!s_.matrix.on_gpu()) {
    const solve_places<T> places = places_now();
    solve_steps_of<T>(where.on()).end(where, {&places, 1});
  }
  s_.work.numbers.download({&seen_, 1});
  if (!seen_.finite) return report;
  solve_end how;
  how.numbers = seen_;
  how.facts = s_.matrix.facts();
  const auto entries = static_cast<std::size_t>(std::max(seen_.step, 0)) + 1;
  // Others end where they have told of the step.
  const bool within_step =
      seen_.stop == run_outcome::breakdown || seen_.stop == run_outcome::not_finite;
  const auto published =
      within_step ? static_cast<std::size_t>(run.code->last_noted() + 1) : entries;
  how.has_residual = published > 0;
  how.coefficients = run.code->coefficients(std::min(published, entries));
  best_ = so_far ? 0 : best_step(how.coefficients);
  if (s_.options.history) {
    how.history = run.code->history(std::min(published, entries));
    how.history.resize(entries, published > 0
                                    ? std::sqrt(seen_.rr)
                                    : std::ldexp(seen_.true_norm, seen_.by.rhs - seen_.by.vectors));
  }
  how.known_condition = so_far      ? so_far->condition_estimate
                        : run.mixed ? run.mixed->condition()
                                    : 0.0;
  verify(std::move(how), s_.options, report);
  if (run.mixed) run.mixed->conclude(report);
  return report;
}

template class attempts<double>;
template class attempts<float>;

}  // namespace dwell
