// SPDX-License-Identifier: MIT
// Parts of the set-up are those of the report's table.
#include "linear/timing.hpp"

#include <algorithm>
#include <utility>

#include "report/fields.hpp"

#include "dwell/solvers/linear/api/report_table.hpp"

namespace dwell::app {

std::vector<timed_part> setup_parts(const solve_report& report) {
  return parts_of_setup(solve_report_table(), report);
}

std::vector<timed_part> timed_parts(const solve_report& report, bool generated, double read_s,
                                    double write_s, double wall_s) {
  std::vector<timed_part> parts = {{generated ? "generate" : "read", read_s}};
  for (timed_part& one : setup_parts(report)) parts.push_back(std::move(one));
  parts.push_back({"vectors", std::max(0., report.setup_s - report.setup.total())});
  parts.push_back({"solve", report.solve_s});
  parts.push_back({"finish", report.finish_s});
  parts.push_back({"write", write_s});
  add_other(parts, wall_s);
  return parts;
}

}  // namespace dwell::app
