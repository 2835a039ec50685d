// SPDX-License-Identifier: MIT
// Iterative refinement: where the residual that an iteration carries has converged and the true one
// has not, the iteration begins anew from its answer, whose residual it computes. Private to the
// solver.
#include <algorithm>
#include <cmath>
#include <utility>

#include "dwell/base/lap_timer.hpp"
#include "dwell/solvers/linear/choose/advice.hpp"
#include "dwell/solvers/linear/run/attempts.hpp"
#include "dwell/solvers/linear/run/verification.hpp"

namespace dwell {
namespace {

/// How the attempts together ended, where the last one ended so.
stop_reason end_of(const solve_report& last, bool helped) {
  switch (last.stopped) {
    case stop_reason::iteration_limit:
    case stop_reason::interrupted:
      return last.stopped;
    case stop_reason::converged:
      return helped || !last.target_missed ? stop_reason::converged : stop_reason::accuracy_limit;
    default:  // it is rounding that ends an attempt from an answer
      return stop_reason::accuracy_limit;
  }
}

/// Adds an attempt that began where the report ends. Returns whether x is its answer.
bool add(const solve_report& next, const solve_options& o, const system_facts& facts,
         solve_report& to) {
  const double before = to.residual_relative_true;
  const bool better = next.residual_relative_true < before;
  to.bytes_per_iteration = mean_bytes(to, next);
  to.refinements += 1 + next.refinements;  // those of mixed precision
  to.iterations += next.iterations;
  to.solve_s += next.solve_s;
  to.per_iteration_us = to.iterations > 0 ? to.solve_s * 1e6 / to.iterations : 0.0;
  if (!next.history.empty())
    to.history.insert(to.history.end(), next.history.begin() + 1, next.history.end());
  if (better) take_residuals(next, to);
  to.stopped = end_of(next, next.residual_relative_true <= promising * before);
  to.stagnated = next.stagnated;
  to.target_missed = next.stopped == stop_reason::converged
                         ? next.target_missed
                         : to.stopped == stop_reason::accuracy_limit;
  to.rows_missed = next.rows_missed && better && to.stopped == stop_reason::converged;
  to.advice =
      to.stopped == next.stopped ? next.advice : advice_of(to, o, facts, residual_trend::unknown);
  return better;
}

}  // namespace

template <class T>
void attempts<T>::refine() {
  const solve_options& o = s_.options;
  if (!o.refine || o.fixed_iterations || !has_target(o, report_)) return;
  // Where numbers left their range since A x0 seemed much larger than b, the residual of x is known
  // now, and the next attempt has a better scale.
  const auto lost_range = [&] {
    return (report_.stopped == stop_reason::not_finite ||
            report_.stopped == stop_reason::breakdown) &&
           report_.refinements == 0 && seen_.by.vectors - seen_.by.rhs > roomy<T>;
  };
  const auto in_need = [&] {
    return std::isfinite(report_.residual_relative_true) &&
           ((report_.target_missed && report_.stopped == stop_reason::converged) || lost_range());
  };
  if (!in_need()) return;
  const double begun = seconds_on_host(), solved = report_.solve_s;
  if (!has_room_for_answer() || !has_start())
    return;  // the answer stays, and the report says what it is worth
  T* const kept = s_.work.kept.data();
  while (in_need()) {
    const bool no_more = was_refused();
    if (no_more || report_.iterations >= o.max_iterations) {
      report_.stopped = no_more ? stop_reason::interrupted : stop_reason::iteration_limit;
      report_.target_missed = false;
      report_.advice = advice_of(report_, o, s_.matrix.facts(), residual_trend::falls);
      break;
    }
    copy_vector(kept, x_);
    begin(&report_);
    if (!add(end(&report_), o, s_.matrix.facts(), report_)) copy_vector(x_, kept);
  }
  report_.finish_s += std::max(0.0, seconds_on_host() - begun - (report_.solve_s - solved));
}

template <class T>
void attempts<T>::refine_column(solve_report& of) {
  report_ = std::move(of);
  start_kept_ = true;  // nobody goes back to it, and the vectors of the run are of another column
  refine();
  of = std::move(report_);
}

template void attempts<double>::refine();
template void attempts<float>::refine();
template void attempts<double>::refine_column(solve_report&);
template void attempts<float>::refine_column(solve_report&);

}  // namespace dwell
