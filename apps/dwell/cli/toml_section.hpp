// SPDX-License-Identifier: MIT
// A table of a TOML file, whose keys are asked for one by one; what is wrong is refused with file
// and line.
#pragma once
#include <toml++/toml.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dwell::app {

/// "a table", "'text'": what stands there, for a refusal.
std::string found_kind(const toml::node& node);

class toml_section {
 public:
  /// `file` and `table` must stay. name: "[run]", or empty for the whole file.
  toml_section(const std::string& file, const toml::table& table, std::string name)
      : file_(file), table_(table), name_(std::move(name)) {}

  /// "wave.toml:12: [run] size".
  std::string place(const toml::node& at, const std::string& key) const;
  [[noreturn]] void refuse(const toml::node& at, const std::string& key,
                           const std::string& why) const;
  const toml::node* find(const std::string& key);
  std::optional<std::string> text(const std::string& key);
  std::string required_text(const std::string& key);
  std::optional<int> whole(const std::string& key, int least);
  std::optional<bool> yes_or_no(const std::string& key);
  std::optional<toml_section> section(const std::string& key);
  std::vector<toml_section> sections(const std::string& key);
  /// Names: an array, or one text with blanks between them.
  std::vector<std::string> names(const std::string& key);
  /// Throws for a key that nobody asked for.
  void finish() const;
  const toml::table& table() const { return table_; }

 private:
  const std::string& file_;
  const toml::table& table_;
  std::string name_;
  std::vector<std::string> asked_;
};

}  // namespace dwell::app
