// SPDX-License-Identifier: MIT
// Writes a report to the destinations that were asked for, and finds the exit code.
#include "cli/report_target.hpp"
#include "cli/file_options.hpp"

namespace dwell::app {

std::vector<std::string> unseen_in_report(
    const report_target& to, const std::vector<std::pair<const char*, bool>>& options) {
  std::vector<std::string> lines;
  if (to.quiet || to.json.standard())
    for (const auto& [option, given] : options)
      if (given)
        lines.push_back(fmt::format(
            "{} has no effect: it is of the report, and there is none for people", option));
  return lines;
}

void add_report_target(CLI::App& app, report_target& to) {
  add_json(app, to.json, "the report");
  app.add_flag("-q,--quiet", to.quiet, "No report and no progress; warnings and errors remain");
}

void handover::failed(exit_code code, const std::string& line) {
  if (lines_.empty()) code_ = code;
  lines_.push_back(line);
}

exit_code handover::finish(exit_code otherwise) const {
  for (const auto& line : lines_) say(line);
  return lines_.empty() ? otherwise : code_;
}

}  // namespace dwell::app
