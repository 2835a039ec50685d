// SPDX-License-Identifier: MIT
// Heads and rows of words as aligned text, for a terminal or a paper, or as Markdown. The words
// come from columns (columns.hpp).
#pragma once
#include <string>
#include <vector>

namespace dwell::app {

class aligned_table {
 public:
  /// A column and its head; words stand left, numbers right.
  void head(std::string text, bool right) { heads_.push_back({std::move(text), right}); }
  /// One cell per column; one line, whatever names are in it.
  void row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  /// Two blanks between columns, a rule under the heads, no blank at the end of a line.
  std::string text() const;
  std::string markdown() const;

 private:
  struct heading {
    std::string text;
    bool right;
  };
  std::vector<std::size_t> widths() const;
  std::vector<heading> heads_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dwell::app
