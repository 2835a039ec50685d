// SPDX-License-Identifier: MIT
// The outcome of `dwell solve` or `dwell cg` in the forms in which it is handed over: a report for
// people, JSON, the history as CSV, one line for standard error when the answer is not what was
// asked for.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/matrix_source.hpp"
#include "linear/ranks.hpp"
#include "linear/vectors.hpp"
#include "report/execution.hpp"
#include "report/json.hpp"

#include "dwell/linear/solve.hpp"

namespace dwell::app {

/// Everything about one solve, asked for and got.
struct solve_result {
  std::string command;  ///< "solve" or "cg"
  std::string matrix_name;
  bool generated = false;
  bool companion_unused = false;  ///< the archive holds a right-hand side that was not asked for
  std::int64_t rows = 0;
  std::int64_t nonzeros = 0;
  std::int64_t explicit_zeros = 0;
  double read_s = 0;
  double write_s = 0;   ///< answer and history
  double wall_s = 0;    ///< time of all that was done before the report
  bool timing = false;  ///< the report has a table of all parts

  rhs_source rhs;
  std::string start_file;
  solve_options options;
  std::vector<solve_report> columns;  ///< one per right-hand side
  std::optional<ranked_solve> ranks;  ///< among which the rows were divided
  bool per_rank = false;              ///< the report has a table of them
  solve_report report;                ///< report of the first; solve_s is that of all
  /// Largest |x_i - 1| where the exact solution is known to be all ones; |x_i| modulo constants.
  std::optional<double> largest_error;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> files;  ///< answer, history, report; and where
};

/// What ran, of what was asked for.
execution execution_of(const solve_report& report, const execution::choices& requested);
/// A method in words.
std::string title_of(const std::string& method);
/// The relative residual at which this solve ends.
double target(const solve_result& r);
double target(const solve_result& r, const solve_report& of);
/// Empty if the solve converged.
std::string failure_line(const solve_result& r);
/// A warning where the system has no solution but for a part of its right-hand side; empty if it
/// has.
std::string inconsistent_rhs(const solve_result& r);
/// A warning where the residual says nothing of the answer; empty if it does.
std::string missed_rows(const solve_result& r);
std::string unsafe_answer(const solve_result& r);
/// Exit code of the first right-hand side whose solve did not converge, or whose true residual
/// misses the tolerance.
exit_code code_of(const solve_result& r);
std::string to_text(const solve_result& r);
json to_json(const solve_result& r);
/// iteration,residual_norm,relative_residual
std::string history_csv(const std::vector<double>& history, double rhs_norm);
/// How iterations ended; of a breakdown why, if that is known.
std::string outcome_text(stop_reason stopped, int iterations, const std::string& broke_down = {});
/// What stands in the comment of the answer's file.
std::string answer_comment(const solve_result& r);

}  // namespace dwell::app
