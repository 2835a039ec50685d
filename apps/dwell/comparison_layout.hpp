// SPDX-License-Identifier: MIT
// How comparisons look, whatever they compare: a caption, a table per subject with remarks below,
// and what the columns mean. Meant to be pasted into a paper. And the values in their cells.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "columns.hpp"
#include "output.hpp"

namespace dwell::app {

struct comparison_section {
  std::string heading;
  std::string refusal;  ///< why there is no table; else empty
  columns table;
  std::vector<std::string> remarks;  ///< why rows are empty, and the like
};

struct comparison_layout {
  std::string caption;
  std::vector<comparison_section> sections;
  std::vector<std::string> legend;
  std::string note = {};  ///< below the caption; may be empty

  std::string text() const;
  std::string markdown() const;
};

/// What to say of a comparison that ended with so many rows.
std::string interrupted_words(std::size_t rows);

/// Three significant digits at least; for v >= 0.
std::string number_cell(double v);
std::string number_or_dash(double v);   ///< "-" unless positive
std::string percent_or_dash(double v);  ///< 0.5 is "50 %"

/// A field of a CSV file, in quotes where it must be.
std::string csv_text(const std::string& text);
std::string csv_number(double v);  ///< empty unless positive

json number_or_null(double v);  ///< null unless positive
json text_or_null(const std::string& text);

}  // namespace dwell::app
