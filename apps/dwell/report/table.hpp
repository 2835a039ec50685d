// SPDX-License-Identifier: MIT
// A report for people: a title, then lines "label   value" with the values aligned.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace dwell::app {

class table {
 public:
  explicit table(std::string title = {}) : title_(std::move(title)) {}
  /// One line, whatever names it holds; an empty label continues the line above.
  void row(const std::string& label, const std::string& value);
  /// An empty line.
  void gap() { row({}, {}); }
  std::string text() const;

 private:
  std::string title_;
  std::vector<std::pair<std::string, std::string>> rows_;
};

}  // namespace dwell::app
