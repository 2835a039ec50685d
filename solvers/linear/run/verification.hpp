// SPDX-License-Identifier: MIT
// What a run has come to, and what its answer is worth: residuals, the condition that the iteration
// has seen. Private to the solver.
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/krylov/program_args.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/check/validate.hpp"
#include "dwell/solvers/linear/choose/decide.hpp"
#include "dwell/solvers/linear/run/solve_steps.hpp"

namespace dwell {

/// Norms of the scaled system in the caller's units.
struct scaled_norms {
  system_scale by;
  double rhs = 0;  ///< ||2^-by.rhs b||

  /// Over ||b||, or where b = 0 itself.
  double relative(double scaled) const;
  /// Relative norm of one in units of b, 2^by.rhs.
  double relative_true(double norm) const;
  double rhs_norm() const;
};

/// How a solve ended, in the numbers of the scaled system.
struct solve_end {
  solve_numbers numbers;
  system_facts facts;                           ///< facts of the matrix as the caller has it
  std::vector<step_coefficients> coefficients;  ///< coefficients of the first steps, from step 0 on
  std::vector<double> history;                  ///< if asked for
  double known_condition = 0;  ///< an attempt before has seen it, which counts; 0: there is none
  bool has_residual = true;    ///< numbers.rr is that of a step, be it the one before the last
};

/// A residual that is so much of the size of its row says that the row is not solved.
inline constexpr double much_of_row = 0.01;
/// Has a report met its target by the norm, which is less than that, but not in every row? A target
/// that leaves as much of all rows says nothing of their sizes. by_row: the largest part.
inline bool misses_rows(const solve_report& r, double by_row) {
  return r.stopped == stop_reason::converged && !r.target_missed && by_row >= much_of_row &&
         r.residual_relative_true < much_of_row;
}
/// At most this part of the true residual must a refinement leave.
inline constexpr double promising = 0.5;
/// The reason for which a program says that it stopped (run_outcome).
stop_reason reason_of(int stop);

/// Coefficients that are worth recording: 2 MiB of them.
inline constexpr int most_coefficients = 1 << 17;

/// And of each system of a batch, where they are for the condition alone: their first steps show
/// the extreme eigenvalues of most of the spectrum that a solve finds, and judging many systems
/// must not take longer than solving them.
inline constexpr int most_batch_coefficients = 128;
inline std::size_t batch_coefficients(const solve_options& o) {
  if (o.fixed_iterations) return 0;
  return static_cast<std::size_t>(std::min(o.max_iterations, most_batch_coefficients - 1)) + 1;
}
/// What is known before the first iteration.
template <class T>
solve_report report_of(const plan_target& target, const solve_options& o,
                       const solve_decision<T>& made);

/// Does the true residual meet the tolerance?
bool meets_target(const solve_numbers& n, const solve_options& o);
/// Is there a tolerance that can be met?
bool has_target(const solve_options& o, const solve_report& report);
/// Units of the last place that an answer may be wrong by where no other attempt is worth its time.
inline constexpr double digits_lost = 16;
/// An answer that is exact for numbers that differ in the last digits is as good as any.
template <class T>
bool is_exact_enough(const solve_report& report) {
  return report.componentwise_backward_error <=
         digits_lost * static_cast<double>(std::numeric_limits<T>::epsilon());
}

/// Takes what is said of x from the numbers: its true residual, and what that means.
void take_true_residual(const solve_numbers& n, solve_report& report);

/// What the report says of x becomes what it says of the x of another one.
template <class Report>
void take_residuals(const solve_report& from, Report& to) {
  to.residual_relative_recursive = from.residual_relative_recursive;
  to.residual_relative_true = from.residual_relative_true;
  to.residuals_disagree = from.residuals_disagree;
  to.componentwise_backward_error = from.componentwise_backward_error;
  to.error_estimate = from.error_estimate;
  if constexpr (requires { to.no_digit_safe; }) to.no_digit_safe = from.no_digit_safe;
}

/// Where the start vector's true residual is the smaller one, the report becomes one of the start
/// vector. Returns whether it does.
bool keep_start_instead(const solve_numbers& of_start, solve_report& report);

/// What was set up between two looks at a solver's sums.
solve_setup difference(const solve_setup& now, const solve_setup& before);
/// Bytes of an iteration of two runs together, the mean of all iterations.
std::size_t mean_bytes(const solve_report& one, const solve_report& other);
/// The report of a solve in two parts, the second of which began from the answer of the first.
solve_report joined(const solve_report& first, solve_report rest);
/// A solve was interrupted between two runs: x is that of the one that the report is of.
void end_interrupted(solve_report& report);

/// Fills in what the report says of the end.
void verify(solve_end end, const solve_options& o, solve_report& report);

}  // namespace dwell
