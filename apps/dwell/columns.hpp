// SPDX-License-Identifier: MIT
// A table of several columns: aligned text for a terminal or a paper, or Markdown.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace dwell::app {

class columns {
 public:
  /// A column and its head; words stand left, numbers right.
  void word(std::string head) { heads_.emplace_back(std::move(head), false); }
  void number(std::string head) { heads_.emplace_back(std::move(head), true); }
  /// One cell per column; one line, whatever names are in it.
  void row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  /// Two blanks between columns, a rule under the heads, no blank at the end of a line.
  std::string text() const;
  std::string markdown() const;

 private:
  std::vector<std::size_t> widths() const;
  std::vector<std::pair<std::string, bool>> heads_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dwell::app
