// SPDX-License-Identifier: MIT
// The outcome of `dwell cg` in the forms in which it is handed over: a report for people, JSON, the
// history as CSV, one line for standard error when the answer is not what was asked for.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cg/vectors.hpp"
#include "cli/exit_code.hpp"
#include "cli/matrix_source.hpp"
#include "report/execution.hpp"
#include "report/json.hpp"

#include "dwell/solvers/cg/cg.hpp"

namespace dwell::app {

/// Everything about one solve, asked for and got.
struct cg_result {
  std::string matrix_name;
  bool generated = false;
  bool companion_unused = false;  ///< the archive holds a right-hand side that was not asked for
  index rows = 0;
  std::int64_t nonzeros = 0;
  std::int64_t explicit_zeros = 0;
  double read_s = 0;
  double write_s = 0;   ///< answer and history
  double wall_s = 0;    ///< of all that was done before the report
  bool timing = false;  ///< the report has a table of all parts

  rhs_source rhs;
  std::string start_file;
  cg_options options;
  std::vector<cg_report> columns;  ///< one per right-hand side
  cg_report report;                ///< of the first; solve_s is that of all
  /// Largest |x_i - 1| where the exact solution is known to be all ones.
  std::optional<double> largest_error;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> files;  ///< answer, history, report; and where
};

/// What ran, of what was asked for.
execution execution_of(const cg_report& report, const execution::choices& requested);
/// The relative residual at which this solve ends.
double target(const cg_result& r);
double target(const cg_result& r, const cg_report& of);
/// Empty if the solve converged.
std::string failure_line(const cg_result& r);
/// A warning where the residual says nothing of the answer; empty if it does.
std::string unsafe_answer(const cg_result& r);
/// Of the first right-hand side whose solve did not converge.
exit_code code_of(const cg_result& r);
std::string to_text(const cg_result& r);
json to_json(const cg_result& r);
/// iteration,residual_norm,relative_residual
std::string history_csv(const cg_report& report);
/// What stands in the comment of the answer's file.
std::string answer_comment(const cg_result& r);

}  // namespace dwell::app
