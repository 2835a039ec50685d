// SPDX-License-Identifier: MIT
// One run of a solve: load the vectors, run, take the answer, judge.
#include <algorithm>
#include <climits>
#include <cmath>
#include <utility>

#include "dwell/solvers/linear/choose/advice.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"
#include "dwell/solvers/linear/run/attempts.hpp"
#include "dwell/solvers/linear/run/verification.hpp"

namespace dwell {

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
void attempts<T>::begin(const solve_report* so_far, int most, bool quietly, bool judged) {
  const device& where = s_.matrix.where();
  const bool on_gpu = s_.matrix.on_gpu(), tells = s_.options.progress && !quietly;
  prepared_run<T>& run = *current().code;
  solve_places<T> places = places_now();
  places.start_residual = so_far && !x_is_start_ ? exponent_of_residual(*so_far) : INT_MAX;
  const int done = so_far ? so_far->iterations : 0;
  const int allowed = std::min(most, s_.options.max_iterations - done);
  run.limit(allowed);
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
  if (current().factorised) current().factorised->take_unit(seen_.by.vectors);
  judge_.reset();
  counting_s_ = 0;
  if (judged) {
    s_.now.search.enter(s_.now.run.with);
    make_judge(allowed);
  }
  run.ask(judge_ ? &*judge_ : nullptr);
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
  report.solve_s -= counting_s_;
  report.setup.analyse_s += counting_s_;
  report.setup_s += counting_s_;
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
  if (run.factorised) run.factorised->conclude(report);
  const bool asked_to_end = refused_ || (s_.options.interrupt && s_.options.interrupt->load());
  if (report.stopped == stop_reason::interrupted && judge_ && judge_->ended() && !asked_to_end) {
    report.stopped = stop_reason::iteration_limit;  // another one is to go on
    report.stagnated = judge_->rested();
    report.advice = advice_of(report, s_.options, s_.matrix.facts(),
                              report.stagnated ? residual_trend::rests : residual_trend::unknown);
  }
  list(report);
  set_up_s_ += counting_s_;
  return report;
}

template int attempts<double>::exponent_of_residual(const solve_report&) const;
template solve_places<double> attempts<double>::places_now() const;
template void attempts<double>::begin(const solve_report*, int, bool, bool);
template solve_report attempts<double>::end(const solve_report*);
template int attempts<float>::exponent_of_residual(const solve_report&) const;
template solve_places<float> attempts<float>::places_now() const;
template void attempts<float>::begin(const solve_report*, int, bool, bool);
template solve_report attempts<float>::end(const solve_report*);

}  // namespace dwell
