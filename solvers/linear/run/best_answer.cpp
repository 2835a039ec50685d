// SPDX-License-Identifier: MIT
// What a solve gives back where it did not do what was asked for: never an x with a larger true
// residual than the start vector, and of methods whose residuals rise in between about the best x
// that the iteration had. Nothing is stored for that: the iteration is run again, as far as its
// best step. Private to the solver.
#include <cmath>
#include <cstddef>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/solvers/linear/run/judgement.hpp"
#include "dwell/solvers/linear/run/solver_state.hpp"

namespace dwell {
namespace {

/// A step is run to again if its residual was at most this part of the last one.
constexpr double worth_going_back = 0.5;

bool succeeded(const solve_report& report) {
  return report.stopped == stop_reason::converged && !report.target_missed;
}

}  // namespace

template <class T>
void solver_state<T>::copy_vector(T* to, const T* from) const {
  const device& where = queue.where();
  memory_of(where.on()).copy(where, to, from, static_cast<std::size_t>(rows()) * sizeof(T));
}

template <class T>
bool solver_state<T>::keep_start(const T* from) {
  const auto n = static_cast<std::size_t>(rows());
  try {
    if (start.size() < n) start = {queue.where(), n, fresh::unset};
  } catch (const device_error&) {
    return false;
  }
  copy_vector(start.data(), from);
  return start_kept = true;
}

template <class T>
bool solver_state<T>::has_start(const T* x) {
  return start_kept || keep_start(seen.taken ? places.run_x : x);
}

template <class T>
int solver_state<T>::best_step(const std::vector<step_coefficients>& seen_by_step) const {
  // The weights are squares of the residual's norm, of cg in the norm of its preconditioner.
  const matrix_class solves = forms_of(options.method).front().solves;
  if (seen_by_step.empty() || solves == matrix_class::symmetric) return 0;
  const bool of_cg = solves == matrix_class::positive_definite;
  const int end = of_cg ? seen.step : seen.step + 1;  // the last step may not be known
  int best = 0;
  for (int k = 1; k < end && k < static_cast<int>(seen_by_step.size()); ++k)
    if (seen_by_step[static_cast<std::size_t>(k)].weight <
        seen_by_step[static_cast<std::size_t>(best)].weight)
      best = k;
  if (of_cg) return best;
  const double norm = std::sqrt(seen_by_step[static_cast<std::size_t>(best)].weight);
  const double last = std::ldexp(seen.true_norm, seen.by.rhs - seen.by.vectors);
  const bool better = !seen.taken || norm <= worth_going_back * last;
  return best < seen.step && better ? best : 0;
}

template <class T>
void solver_state<T>::go_back(const T* from, T* to, solve_report& report) {
  const int step = best;
  if (step <= 0 || report.refinements > 0 || report.stopped == stop_reason::interrupted ||
      report.iterations != seen.step)  // there are several parts
    return;
  const auto n = static_cast<std::size_t>(rows());
  try {
    if (kept.size() < n) kept = {queue.where(), n, fresh::unset};
  } catch (const device_error&) {
    return;
  }
  copy_vector(kept.data(), to);
  copy_vector(to, start.data());
  auto progress = std::exchange(options.progress, {});
  begin(from, to, nullptr, step);
  const solve_report there = end();
  options.progress = std::move(progress);
  if (there.residual_relative_true < report.residual_relative_true)
    take_residuals(there, report);
  else
    copy_vector(to, kept.data());
}

template <class T>
void solver_state<T>::keep_best(const T* from, T* to, solve_report& report) {
  if (options.fixed_iterations || succeeded(report) || !seen.finite) return;
  const double begun = seconds_on_host();
  if (!has_start(to)) return;
  // Residuals of cg rise and fall on the way: the last one is taken, unless it is no better than
  // the start's.
  const bool only_for_start =
      forms_of(options.method).front().solves == matrix_class::positive_definite;
  if (!mixed && !only_for_start) go_back(from, to, report);
  if (seen.taken || report.iterations > 0) {
    const device& where = queue.where();
    copy_vector(places.run_x, start.data());
    places.weighing = true;
    solve_steps_of<T>(where.on()).weigh(where, {&places, 1});
    places.weighing = false;
    solve_numbers of_start;
    numbers.download({&of_start, 1});
    if (keep_start_instead(of_start, report)) {
      copy_vector(to, start.data());
      if (!mixed && only_for_start) go_back(from, to, report);
    }
  }
  report.finish_s += seconds_on_host() - begun;
}

template void solver_state<double>::copy_vector(double*, const double*) const;
template void solver_state<float>::copy_vector(float*, const float*) const;
template bool solver_state<double>::keep_start(const double*);
template bool solver_state<float>::keep_start(const float*);
template bool solver_state<double>::has_start(const double*);
template bool solver_state<float>::has_start(const float*);
template int solver_state<double>::best_step(const std::vector<step_coefficients>&) const;
template int solver_state<float>::best_step(const std::vector<step_coefficients>&) const;
template void solver_state<double>::go_back(const double*, double*, solve_report&);
template void solver_state<float>::go_back(const float*, float*, solve_report&);
template void solver_state<double>::keep_best(const double*, double*, solve_report&);
template void solver_state<float>::keep_best(const float*, float*, solve_report&);

}  // namespace dwell
