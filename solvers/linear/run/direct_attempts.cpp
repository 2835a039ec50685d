// SPDX-License-Identifier: MIT
// Factors after iterations that a judge has ended for them, and the way back where these fail.
// Private to the solver.
#include <fmt/format.h>

#include <climits>
#include <string>
#include <utility>

#include "dwell/solvers/linear/direct/direct_method.hpp"
#include "dwell/solvers/linear/run/attempts.hpp"
#include "dwell/solvers/linear/run/verification.hpp"

namespace dwell {

template <class T>
bool attempts<T>::factors_failed() const {
  if (!before_factors_ || report_.iterations >= s_.options.max_iterations || was_refused())
    return false;
  switch (report_.stopped) {
    case stop_reason::breakdown:
    case stop_reason::not_finite:
      return true;
    case stop_reason::accuracy_limit:
      return report_.componentwise_backward_error > much_for_rounding &&
             !is_exact_enough<T>(report_);
    default:
      return false;
  }
}

template <class T>
void attempts<T>::go_on_with_factors() {
  const std::string why = *judge_->by_factors();
  say_why(why);
  s_.now.direct_open = false;
  const solver_choice before = s_.now;
  solver_choice other = before;
  other.run = {direct_method, preconditioner::none, false};
  other.method_reason = why;
  other.preconditioner_reason = no_preconditioner_of_direct;
  try {
    const std::string refusal = change_to(std::move(other));
    if (refusal.empty()) {
      before_factors_ = before;
      return go_on();
    }
    s_.now.method_reason += fmt::format("; {}; but {}", why, refusal);
  } catch (const interrupted_error&) {
    return end_interrupted(report_);
  }
  go_on(INT_MAX, true);
}

template <class T>
void attempts<T>::go_on_without_factors() {
  const std::string why =
      report_.stopped == stop_reason::accuracy_limit ? "its residual came to rest" : report_.advice;
  solver_choice other = *std::exchange(before_factors_, {});
  other.method_reason += fmt::format("; {}; but {}", s_.now.method_reason, why);
  say_why(why);
  try {
    // It was kept: where it is gone there was no memory for both.
    if (!change_to(std::move(other)).empty()) return;
  } catch (const interrupted_error&) {
    return end_interrupted(report_);
  }
  go_on(INT_MAX, true);
}

template bool attempts<double>::factors_failed() const;
template bool attempts<float>::factors_failed() const;
template void attempts<double>::go_on_with_factors();
template void attempts<float>::go_on_with_factors();
template void attempts<double>::go_on_without_factors();
template void attempts<float>::go_on_without_factors();

}  // namespace dwell
