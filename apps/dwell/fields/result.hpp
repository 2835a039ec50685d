// SPDX-License-Identifier: MIT
// What came of steps of a stencil of several fields: the report for people and the JSON document.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.hpp"
#include "fields/frames.hpp"
#include "report/json.hpp"

#include "dwell/stencil/definition.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell::app {

/// The finite values of a field; NaN where there are none.
struct field_range {
  std::string name;
  double least = 0, greatest = 0;
  std::int64_t nonfinite = 0;
};

struct fields_result {
  std::string file;
  std::optional<stencil_definition> definition;
  std::string size;
  std::string requested_executor;
  int max_steps = 0;
  field_report report;
  std::vector<field_reduction_row> rows;
  std::vector<field_range> ranges;
  std::optional<frames_made> animation;
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> files;  ///< what, and where it is
  double read_s = 0, write_s = 0, wall_s = 0;
};

/// Empty if all went as asked for.
std::string failure_line(const fields_result& r);
exit_code code_of(const fields_result& r);
std::string to_text(const fields_result& r);
json to_json(const fields_result& r);

}  // namespace dwell::app
