// SPDX-License-Identifier: MIT
// Where the report of a solve goes, and the one way in which all solves hand theirs over: what went
// wrong on standard error, the report as text or JSON, the exit code.
#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "exit_code.hpp"
#include "output.hpp"

namespace dwell::app {

struct report_target {
  std::string json;    ///< a file, "-" for standard output, or empty
  bool quiet = false;  ///< no report and no progress
  bool json_file() const { return !json.empty() && json != "-"; }
};

/// --json and --quiet.
void add_report_target(CLI::App& app, report_target& to);

/// To be called while a graceful_stop lives. Result has `files`, and there are failure_line(),
/// to_text(), to_json() and code_of() of it.
template <class Result>
exit_code deliver(Result& result, const report_target& to) {
  if (const auto line = failure_line(result); !line.empty())
    fmt::print(stderr, "dwell: {}\n", line);
  if (to.json_file()) {
    result.files.emplace_back("report", to.json);
    write_json(to.json, to_json(result));
  }
  if (to.json == "-")
    write_json("-", to_json(result));
  else if (!to.quiet)
    write_stdout(to_text(result));
  return code_of(result);
}

}  // namespace dwell::app
