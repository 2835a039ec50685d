// SPDX-License-Identifier: MIT
// Where the report of a solve goes, and the one way in which all solves hand theirs over: what went
// wrong on standard error, the report as text or JSON, the exit code. What cannot be written costs
// nothing else: the solve may have taken hours.
#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "report/json.hpp"

#include "dwell/base/error.hpp"

namespace dwell::app {

struct report_target {
  destination json;    ///< on standard output it is the report
  bool quiet = false;  ///< no report and no progress
};

/// Where there is no report for people, a line for each of these options of it that was given.
std::vector<std::string> unseen_in_report(const report_target& to,
                                          const std::vector<std::pair<const char*, bool>>& options);

/// --json and --quiet.
void add_report_target(CLI::App& app, report_target& to);

/// Writes what a run made, one thing after the other, and remembers what failed.
class handover {
 public:
  /// False if `write` threw.
  template <class F>
  bool attempt(const std::string& what, F&& write) {
    try {
      write();
      return true;
    } catch (const error& e) {
      failed(exit_code::bad_input, e.what());
    } catch (const std::bad_alloc&) {
      failed(exit_code::device, what + ": too little memory to write it");
    }
    return false;
  }
  /// A line for each thing that failed, and the code of the first; `otherwise` if there is none.
  exit_code finish(exit_code otherwise) const;

 private:
  void failed(exit_code code, const std::string& line);
  exit_code code_ = exit_code::done;
  std::vector<std::string> lines_;
};

/// To be called while a graceful_stop lives. Result has `files`, and there are failure_line(),
/// to_text(), to_json() and code_of() of it; `by` has written its files, which are among `outputs`.
template <class Result>
exit_code deliver(Result& result, const report_target& to, const output_files& outputs,
                  handover& by) {
  if (const auto line = failure_line(result); !line.empty()) say(line);
  if (to.json) {
    if (!to.json.standard()) result.files.emplace_back("report", to.json.name());
    const bool written =
        by.attempt(to.json.label(), [&] { to.json.write(json_text(to_json(result))); });
    if (!to.json.standard() && !written) result.files.pop_back();
  }
  if (!to.quiet && !to.json.standard())
    by.attempt("report", [&] { outputs.report(to_text(result)); });
  return by.finish(code_of(result));
}

}  // namespace dwell::app
