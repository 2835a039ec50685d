// SPDX-License-Identifier: MIT
// Drives the built program `dwell` as a user would: as a process of its own, with standard output
// and standard error apart, the latter in a pipe or on a terminal.
#pragma once
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dwell::test {

struct cli_outcome {
  int code = -1;  ///< exit code, or minus the signal that ended the program
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

struct cli_setting {
  /// Standard error is a terminal, 100 characters wide.
  bool terminal = false;
  /// Once this is true of what has come on standard error, `signal` is sent.
  std::function<bool(const std::string& err)> signal_when = {};
  int signal = 0;
  /// Address space in bytes; 0: as it is.
  rlim_t memory = 0;
  /// Stack of the first thread and of each that it starts, in bytes; 0: as it is.
  rlim_t stack = 0;
  /// The largest file it may write, in bytes; 0: as it is.
  rlim_t file_size = 0;
  /// What is written to its standard input, a pipe; without it, that of the test.
  std::optional<std::string> input = {};
  /// A file for standard output, e.g. /dev/full; "closed": the descriptor is closed; "gone": a pipe
  /// whose reader has gone away; "terminal": where standard error is. And for standard error.
  std::string stdout_to = {}, stderr_to = {};
  /// Once this is true of what has come on standard error, its terminal hangs up: SIGHUP from the
  /// kernel, and a moment later from the shell.
  std::function<bool(const std::string& err)> hang_up_when = {};
};

/// Runs `dwell args...`. Kills it after 120 seconds: the code is then -SIGKILL.
cli_outcome dwell_cli(const std::vector<std::string>& args, const cli_setting& setting = {});

/// The report that `dwell args...` writes as JSON on standard output; it must end with 0.
nlohmann::json report_of(const std::vector<std::string>& args);

/// `dwell args...` must end with `code`, nothing on standard output, and one line on standard error
/// that holds `part`.
void expect_refused(const std::vector<std::string>& args, const std::string& part, int code = 1);

/// A folder that goes away with the object.
class scratch_folder {
 public:
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  /// The full name of a file in it.
  std::string operator()(const std::string& name) const { return (path_ / name).string(); }
  /// The path of a file, after writing `text` to it.
  std::string write(const std::string& name, const std::string& text) const;
  /// Names of all that is in it.
  std::vector<std::string> files() const;

 private:
  std::filesystem::path path_;
};

/// What `dwell explain stencil` says of these arguments, which it must accept.
nlohmann::json explain_stencil(std::vector<std::string> args);

/// Does `text` hold, start with, end with `part`? Shows both if not.
::testing::AssertionResult holds(const std::string& text, const std::string& part);
::testing::AssertionResult starts(const std::string& text, const std::string& part);
::testing::AssertionResult ends(const std::string& text, const std::string& part);

std::string read_text(const std::string& file);
std::vector<std::string> lines_of(const std::string& text);

/// Matrix Market text of a dense symmetric 2 x 2 matrix.
std::string two_by_two(double a, double b, double d);

}  // namespace dwell::test
