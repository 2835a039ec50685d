// SPDX-License-Identifier: MIT
// Where results go: standard output, and files that appear whole or not at all. What can be known
// to fail is found out before the work begins, so that nobody loses an hour's solve to a typing
// error.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dwell::app {

using json = nlohmann::ordered_json;

/// Writes to standard output. A reader or a terminal that has gone away is no error; a full disk is
/// (input_error).
void write_stdout(std::string_view text);
/// Writes to standard error. Where nobody can read it, nothing happens: words about a result must
/// not cost the result.
void write_stderr(std::string_view text) noexcept;
/// One line on standard error: "dwell: warning: ...".
void warn(std::string_view message);

/// Do the two names mean one file, be it there already or not?
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// The output files of one run, each with the option that named it.
class output_files {
 public:
  /// Throws input_error unless `file` can be written; leaves nothing behind. Also throws if it is
  /// one of the outputs added before.
  void add(const std::string& option, const std::filesystem::path& file);
  /// Throws input_error if `input` is about to be overwritten by an output other than `allowed`.
  void protect(const std::string& input, const std::string& allowed = {}) const;

 private:
  struct entry {
    std::string option;
    std::filesystem::path file;
  };
  std::vector<entry> entries_;
};

/// The whole of `text` under the name `file`.
void write_file(const std::filesystem::path& file, std::string_view text);
/// Indented JSON. Numbers that are not finite become null.
std::string json_text(const json& value);
/// The same to a file, or to standard output if `target` is "-".
void write_json(const std::string& target, const json& value);

}  // namespace dwell::app
