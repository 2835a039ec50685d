// SPDX-License-Identifier: MIT
// What came of a solve on a grid: the report for people, the JSON document, the exit code.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.hpp"
#include "grid/problem.hpp"
#include "grid/ranks.hpp"
#include "report/json.hpp"

#include "dwell/grid/grid_solver.hpp"

namespace dwell::app {

struct grid_result {
  grid_choices given;
  std::string rhs, start;  ///< a number or a file; of the start a file or nothing
  grid_report report;
  std::optional<ranked_grid> ranks;  ///< among which the grid was divided
  bool per_rank = false;             ///< the report has a table of them
  double least = 0, greatest = 0;    ///< finite values of the answer; NaN if there are none
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> files;  ///< what, and where it is
  double read_s = 0, write_s = 0, wall_s = 0;
};

/// Empty if the solve converged.
std::string failure_line(const grid_result& r);
exit_code code_of(const grid_result& r);
std::string to_text(const grid_result& r);
json to_json(const grid_result& r);
/// "k 1, s 0, boundary ..." as a document has them, before other fields.
void add_grid_problem_fields(json& out, const grid_choices& given);
/// Rows of a report: the system.
std::vector<std::pair<std::string, std::string>> grid_problem_rows(const grid_choices& given);

}  // namespace dwell::app
