// SPDX-License-Identifier: MIT
// Where results go: standard output, and files that appear whole or not at all. What can be known
// to fail is found out before the work begins, so that nobody loses an hour's solve to a typing
// error.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/destination.hpp"

namespace dwell::app {

/// Writes to standard output. A reader or a terminal that has gone away is no error; a full disk is
/// (input_error).
void write_stdout(std::string_view text);
/// Writes to standard error. Where nobody can read it, nothing happens: words about a result must
/// not cost the result.
void write_stderr(std::string_view text) noexcept;
/// A message, one line on standard error: "dwell: ...". All messages pass here, and no name in them
/// can end the line or tell the terminal anything. Of a long one the middle is left out.
void say(std::string_view message);
/// "dwell: warning: ...".
void warn(std::string_view message);

/// Do the two names mean one file, be it there already or not?
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// The --config file of this run, which is an input of every command: no output may be it, and
/// nothing else can read it from a pipe.
void note_config_file(const std::string& file);

/// The outputs of one run.
class output_files {
 public:
  /// Throws input_error unless `to` can be written, and if it is one of the outputs added before or
  /// the --config file; leaves nothing behind. Nothing is to be added if nothing was asked for.
  void add(const destination& to);
  /// Throws input_error if `input` is about to be overwritten by an output other than that of the
  /// option `allowed`.
  void protect(const std::string& input, const std::string& allowed = {}) const;
  /// Is one of them standard output?
  bool standard() const;
  /// Writes a report for people: to standard output or, if an output is there, to standard error.
  void report(std::string_view text) const;

 private:
  std::vector<destination> outputs_;
};

/// Throws input_error if two inputs, each an option and a name, or one and the --config file stand
/// for one descriptor, such as standard input: the first would leave nothing for the second.
void require_one_reader(const std::vector<std::pair<std::string, std::string>>& named);

/// The whole of `text` under the name `file`.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace dwell::app
