// SPDX-License-Identifier: MIT
// What a solve gives back where it did not do what was asked for: never an x with a larger true
// residual than the start vector, and of methods whose residuals rise in between about the best x
// that the iteration had. Nothing is stored for that: the iteration is run again, as far as its
// best step. Private to the solver.
#include <cmath>
#include <cstddef>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/solvers/linear/run/attempts.hpp"
#include "dwell/solvers/linear/run/verification.hpp"

namespace dwell {
namespace {

/// A step is run to again if its residual was at most this part of the last one.
constexpr double worth_going_back = 0.5;

bool succeeded(const solve_report& report) {
  return report.stopped == stop_reason::converged && !report.target_missed;
}

}  // namespace

template <class T>
void attempts<T>::copy_vector(T* to, const T* from) const {
  const device& where = s_.matrix.where();
  memory_of(where.on())
      .copy(where, to, from, static_cast<std::size_t>(s_.matrix.rows()) * sizeof(T));
}

template <class T>
bool attempts<T>::has_room_for_answer() {
  const auto n = static_cast<std::size_t>(s_.matrix.rows());
  buffer<T>& kept = s_.work.kept;
  try {
    if (kept.size() < n) kept = {s_.matrix.where(), n, fresh::unset};
  } catch (const device_error&) {
    return false;
  }
  return true;
}

template <class T>
bool attempts<T>::keep_start(const T* from) {
  const auto n = static_cast<std::size_t>(s_.matrix.rows());
  buffer<T>& start = s_.work.start;
  try {
    if (start.size() < n) start = {s_.matrix.where(), n, fresh::unset};
  } catch (const device_error&) {
    return false;
  }
  copy_vector(start.data(), from);
  return start_kept_ = true;
}

template <class T>
bool attempts<T>::has_start() {
  return start_kept_ || keep_start(seen_.has_answer ? current().code->places().x : x_);
}

template <class T>
int attempts<T>::best_step(const std::vector<step_coefficients>& seen_by_step) const {
  // The weights are squares of the residual's norm, of cg in the norm of its preconditioner.
  const matrix_class solves = solver_variants(s_.now.run.method).front().solves;
  if (seen_by_step.empty() || solves == matrix_class::symmetric) return 0;
  const bool of_cg = solves == matrix_class::positive_definite;
  const int end = of_cg ? seen_.step : seen_.step + 1;  // the last step may not be known
  int best = 0;
  for (int k = 1; k < end && k < static_cast<int>(seen_by_step.size()); ++k)
    if (seen_by_step[static_cast<std::size_t>(k)].weight <
        seen_by_step[static_cast<std::size_t>(best)].weight)
      best = k;
  if (of_cg) return best;
  const double norm = std::sqrt(seen_by_step[static_cast<std::size_t>(best)].weight);
  const double last = std::ldexp(seen_.true_norm, seen_.by.rhs - seen_.by.vectors);
  const bool better = !seen_.has_answer || norm <= worth_going_back * last;
  return best < seen_.step && better ? best : 0;
}

template <class T>
void attempts<T>::go_back() {
  const int step = best_;
  if (step <= 0 || report_.refinements > 0 || report_.stopped == stop_reason::interrupted ||
      report_.iterations != seen_.step)  // there are several parts
    return;
  if (!has_room_for_answer()) return;
  T* const kept = s_.work.kept.data();
  copy_vector(kept, x_);
  copy_vector(x_, s_.work.start.data());
  begin(nullptr, step, true);
  const solve_report there = end();
  if (there.residual_relative_true < report_.residual_relative_true)
    take_residuals(there, report_);
  else
    copy_vector(x_, kept);
}

template <class T>
void attempts<T>::keep_best() {
  if (s_.options.fixed_iterations || succeeded(report_) || !seen_.finite) return;
  const double begun = seconds_on_host();
  if (!has_start()) return;
  // Residuals of cg rise and fall on the way: the last one is taken, unless it is no better than
  // the start's.
  const bool only_for_start =
      solver_variants(s_.now.run.method).front().solves == matrix_class::positive_definite;
  if (!current().mixed && !only_for_start) go_back();
  if (seen_.has_answer || report_.iterations > 0) {
    const device& where = s_.matrix.where();
    solve_places<T> places = places_now();
    places.weighing = true;
    copy_vector(places.run_x, s_.work.start.data());
    solve_steps_of<T>(where.on()).weigh(where, {&places, 1});
    solve_numbers of_start;
    s_.work.numbers.download({&of_start, 1});
    if (keep_start_instead(of_start, report_)) {
      copy_vector(x_, s_.work.start.data());
      if (!current().mixed && only_for_start) go_back();
    }
  }
  report_.finish_s += seconds_on_host() - begun;
}

template void attempts<double>::copy_vector(double*, const double*) const;
template void attempts<float>::copy_vector(float*, const float*) const;
template bool attempts<double>::has_room_for_answer();
template bool attempts<float>::has_room_for_answer();
template bool attempts<double>::keep_start(const double*);
template bool attempts<float>::keep_start(const float*);
template bool attempts<double>::has_start();
template bool attempts<float>::has_start();
template int attempts<double>::best_step(const std::vector<step_coefficients>&) const;
template int attempts<float>::best_step(const std::vector<step_coefficients>&) const;
template void attempts<double>::go_back();
template void attempts<float>::go_back();
template void attempts<double>::keep_best();
template void attempts<float>::keep_best();

}  // namespace dwell
