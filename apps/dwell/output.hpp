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

/// Writes to standard output. A reader that has gone away is no error; a full disk is
/// (input_error).
void write_stdout(std::string_view text);
/// One line on standard error: "dwell: warning: ...".
void warn(std::string_view message);

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
/// Indented JSON to a file, or to standard output if `target` is "-". Numbers that are not finite
/// become null.
void write_json(const std::string& target, const json& value);

}  // namespace dwell::app
