// SPDX-License-Identifier: MIT
// What follows what in a solve.
#include "dwell/solvers/linear/run/attempts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "dwell/comm/agreement.hpp"
#include "dwell/solvers/linear/choose/choose_preconditioner.hpp"
#include "dwell/solvers/linear/direct/direct_candidate.hpp"
#include "dwell/solvers/linear/run/verification.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

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
      return after_judged();
    case attempt::after_probe:
      return patience_ < INT_MAX && may_go_on() ? attempt::multigrid : attempt::refinement;
    case attempt::multigrid:
    case attempt::in_f64:
      return attempt::refinement;
    case attempt::other_preconditioner:
    case attempt::no_factors:
      return after_judged();
    case attempt::factors:
      return factors_failed() ? attempt::no_factors : after_judged();
    case attempt::refinement:
      if (factors_failed()) return attempt::no_factors;
      if ((report_.stopped != stop_reason::iteration_limit || may_go_on()) &&
          after_breakdown(s_.now, s_.matrix.facts(), report_))
        return attempt::other_method;
      return failed() ? attempt::other_preconditioner : attempt::none;
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
    case attempt::other_preconditioner:
      return go_on_with_another();
    case attempt::factors:
      return go_on_with_factors();
    case attempt::no_factors:
      return go_on_without_factors();
    case attempt::in_f64:
      return go_on_in_f64();
    case attempt::refinement:
      report_.finish_s = seconds_on_host() - ended_;
      return refine();
    case attempt::other_method:
      return change_method();
    case attempt::none:
      return;
  }
}

template <class T>
const solve_report& attempts<T>::answer() {
  for (attempt one = attempt::first; one != attempt::none; one = next(one)) make(one);
  take_best_answer();
  if (report_.stopped == stop_reason::converged) s_.now.settle();
  report_.attempts = list_;
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
bool attempts<T>::was_left() const {
  return judge_ && judge_->left() && may_go_on();
}

template <class T>
attempt attempts<T>::after_judged() const {
  if (!was_left()) return attempt::refinement;
  return judge_->by_factors() ? attempt::factors : attempt::other_preconditioner;
}

template <class T>
bool attempts<T>::failed() const {
  if (is_direct(s_.now.run.method) || !s_.now.search.open() || !start_kept_ || current().mixed ||
      report_.iterations >= s_.options.max_iterations || was_refused())
    return false;
  switch (report_.stopped) {
    case stop_reason::breakdown:
      // It says something of the matrix, unless the preconditioner or the recurrence is to blame.
      return kind_of(s_.now.run.with).of == matrix_class::positive_definite ||
             solver_variants(s_.now.run.method).front().solves == matrix_class::general;
    case stop_reason::not_finite:
    case stop_reason::iteration_limit:  // the judge has ended it
      return true;
    case stop_reason::accuracy_limit:
      return !is_exact_enough<T>(report_);
    default:
      return false;
  }
}

/// More than one run may be needed before the start vector is forgotten.
template <class T>
bool attempts<T>::has_choice_left() const {
  return s_.now.probe || current().mixed || s_.now.method_open;
}

// Attempts --------------------------------------------------------------------------------------

template <class T>
template <class F>
void attempts<T>::setting_up(F&& f) {
  const struct setup_of_solve {
    const solve_setup& all;
    solve_report& report;
    double& set_up_s;
    solve_setup before = all;
    ~setup_of_solve() {
      const solve_setup more = difference(all, before);
      report.setup += more;
      report.setup_s += more.total();
      set_up_s += more.total();
    }
  } counts{s_.setup, report_, set_up_s_};
  f();
}

template <class T>
void attempts<T>::go_on(int most, bool judged) {
  begin(&report_, most, false, judged);
  report_ = joined(report_, end());
  x_is_start_ = false;
}

template <class T>
void attempts<T>::begin_with_method() {
  if ((s_.now.search.open() || s_.now.probe) && !start_kept_) keep_start(x_);
  begin(nullptr, s_.now.probe ? probe_iterations : INT_MAX, false, true);
  report_ = end();
  if (!s_.now.probe || report_.stopped != stop_reason::converged) return;
  s_.now.probe = false;
  s_.now.preconditioner_reason =
      fmt::format("jacobi converged within the {} iterations that were tried", probe_iterations);
  report_.preconditioner_reason = s_.now.preconditioner_reason;
}

template <class T>
void attempts<T>::change_method() {
  const bool goes_on = s_.now.run.method == "bicgstab" && report_.residual_relative_true < 1.0;
  const std::string before = s_.now.run.method;
  bool changed = false;
  setting_up([&] { changed = s_.change_method(report_); });
  if (!changed) return;
  say_why(s_.now.method_reason);
  if (goes_on) return go_on(INT_MAX, true);
  copy_vector(x_, s_.work.start.data());  // it counts as the one from the start
  began_ = seconds_on_host();
  begin_with_method();
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
void attempts<T>::go_on_with_another() {
  const bool left = was_left();  // for a preconditioner
  std::optional<preconditioner> to;
  std::string why;
  if (left) {
    to = judge_->better()->to;
    why = judge_->better()->why;
  } else {
    keep_answer();
    why = fmt::format("{} ended by {} after {} iterations", to_string(s_.now.run.with),
                      report_.stagnated ? "stagnation" : to_string(report_.stopped),
                      report_.iterations);
    to = s_.now.search.after_failure(s_.now.run.with,
                                     report_.stopped == stop_reason::accuracy_limit);
  }
  say_why(why);
  while (to) {
    const preconditioner wanted = *to;
    s_.now.preconditioner_reason = why;
    try {
      setting_up([&] { change_preconditioner(wanted); });
    } catch (const interrupted_error&) {
      return end_interrupted(report_);
    }
    if (s_.now.run.with == wanted) break;
    why = s_.now.preconditioner_reason;  // with the error
    to = s_.now.search.after_failure(wanted);
    if (left) to.reset();  // for that one alone
  }
  if (!to) {  // none is left that can be set up: the present one goes on, if it was only slow
    if (left || report_.stopped == stop_reason::iteration_limit) go_on(INT_MAX, left);
    return;
  }
  if (!left) copy_vector(x_, s_.work.start.data()), x_is_start_ = true;
  go_on(INT_MAX, true);
}

template <class T>
std::string attempts<T>::why_not(solver_choice wanted) {
  try {
    s_.change(std::move(wanted));
  } catch (const interrupted_error&) {
    throw;
  } catch (const error& e) {  // too little memory, a policy that has no such kernel
    s_.runs.rethrow_of_one_rank(e);
    return e.what();
  }
  return {};
}

template <class T>
std::string attempts<T>::change_to(solver_choice wanted) {
  std::string refusal;
  setting_up([&] { refusal = why_not(std::move(wanted)); });
  return refusal;
}

template <class T>
void attempts<T>::make_judge(int allowed) {
  judge_.reset();
  const bool of_any = solver_variants(s_.now.run.method).front().solves == matrix_class::general;
  const bool method_may_change = s_.now.method_open && of_any && s_.matrix.judges();
  if (s_.options.fixed_iterations || current().mixed) return;
  const bool searched = (s_.now.judged && s_.now.search.open()) || method_may_change;
  const bool factors = s_.factors_may_follow();
  if (!searched && !factors) return;
  const bool definite =
      solver_variants(s_.now.run.method).front().solves == matrix_class::positive_definite;
  judge_.emplace(s_.now.search, s_.now.run.with, definite || s_.now.search.compares(),
                 definite || !searched ? 0 : steps_of_rest(s_.matrix.system.all_rows()),
                 seen_.target * further_, allowed);
  if (!factors) return;
  const auto count = [this] {
    if (s_.matrix.known_fill()) return s_.matrix.known_fill();
    const lap_timer time(counting_s_);
    return s_.matrix.fill();
  };
  judge_->compare_with({s_.matrix.size(), s_.matrix.facts().symmetric, count}, s_.now.run.method,
                       of_any ? 2.0 : 1.0);
}

template <class T>
void attempts<T>::list(const solve_report& of) {
  list_.push_back({of.method, of.preconditioner, of.iterations, of.residual_relative_true,
                   std::exchange(set_up_s_, 0.0), of.solve_s,
                   judge_ && judge_->ended() && of.stopped == stop_reason::iteration_limit
                       ? "left"
                       : to_string(of.stopped)});
}

template <class T>
void attempts<T>::say_why(const std::string& why) {
  if (!list_.empty()) list_.back().ended = why;
}

template <class T>
void attempts<T>::keep_answer() {
  if (!std::isfinite(report_.residual_relative_true) ||
      (best_report_ && best_report_->residual_relative_true <= report_.residual_relative_true))
    return;
  const auto n = static_cast<std::size_t>(s_.matrix.rows());
  buffer<T>& best = s_.work.best;
  try {
    if (best.size() < n) best = {s_.matrix.where(), n, fresh::unset};
  } catch (const device_error& e) {
    s_.runs.rethrow_of_one_rank(e);
    return;
  }
  copy_vector(best.data(), x_);
  best_report_ = report_;
}

template <class T>
void attempts<T>::take_best_answer() {
  if (!best_report_ || report_.stopped == stop_reason::converged ||
      report_.residual_relative_true <= best_report_->residual_relative_true)
    return;
  copy_vector(x_, s_.work.best.data());
  take_residuals(*best_report_, report_);
}

template <class T>
void attempts<T>::go_on_in_f64() {
  const mixed_run& mixed = *current().mixed;
  solver_choice other = s_.now;
  other.run = {s_.now.run.method, mixed.current_preconditioner(), false};
  other.why_f64 = mixed.why_too_short();
  other.preconditioner_reason = mixed.preconditioner_reason();
  try {
    if (const std::string refusal = change_to(other); !refusal.empty()) {
      report_.reason += "; " + other.why_f64 + ", but f64: " + refusal;
      return;
    }
  } catch (const interrupted_error&) {
    return end_interrupted(report_);
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
  shown.nonzeros = static_cast<double>(s_.matrix.arrays().nonzeros);
  shown.first_on_gpu = !made_amg_on_gpu();
  if (const row_ranks* const ranks = s_.matrix.ranks()) {  // all go by the same numbers
    shown.ranks = ranks->comm->size();
    shown.nonzeros = 0;
    for (const std::int64_t one : values_of_ranks(*ranks->comm, s_.matrix.arrays().nonzeros))
      shown.nonzeros += static_cast<double>(one);
    for (const double one : values_of_ranks(*ranks->comm, shown.seconds))
      shown.seconds = std::max(shown.seconds, one);
    for (const double one : values_of_ranks(*ranks->comm, shown.first_on_gpu ? 1.0 : 0.0))
      shown.first_on_gpu |= one > 0.0;
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
  if (const std::string refusal = why_not(std::move(other)); !refusal.empty())
    s_.now.preconditioner_reason += fmt::format("; but {}: {}", to_string(wanted), refusal);
}

template class attempts<double>;
template class attempts<float>;

}  // namespace dwell
