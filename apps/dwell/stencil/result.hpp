// SPDX-License-Identifier: MIT
// The outcome of `dwell stencil` in the forms in which it is handed over.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.hpp"
#include "report/execution.hpp"
#include "report/json.hpp"
#include "stencil/ranks.hpp"

#include "dwell/stencil/solve.hpp"

namespace dwell::app {

struct stencil_result {
  std::string start;   ///< what the field was: a kind, or a file
  std::string source;  ///< file, or empty
  bool default_weights = true;
  stencil_options options;
  stencil_report report;
  std::optional<ranked_field> ranks;  ///< among which the field was divided
  bool per_rank = false;              ///< the report has a table of them
  bool timing = false;                ///< and one of the parts of the time
  double read_s = 0;                  ///< files, or making the field
  double write_s = 0;
  double wall_s = 0;  ///< from the first look at the input to the report
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> files;  ///< field, report; and where
};

/// "100 steps done": how a run ended, of one field or of several.
std::string outcome_text(stencil_stop stopped, int steps);
/// What ran, of what was asked for.
execution execution_of(const stencil_report& report, const execution::choices& requested);
/// The plan: how the field was divided and where its cells were between steps.
columns<stencil_report> stencil_plan_columns();
std::string to_text(const stencil_result& r);
json to_json(const stencil_result& r);
/// What to say on standard error; "" if the run did what it was asked.
std::string failure_line(const stencil_result& r);
exit_code code_of(const stencil_result& r);

}  // namespace dwell::app
