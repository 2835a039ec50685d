// SPDX-License-Identifier: MIT
// How comparisons look, whatever they compare: a caption, a table per subject with remarks below,
// and what the columns mean. Meant to be pasted into a paper.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "report/aligned_table.hpp"

namespace dwell::app {

struct comparison_section {
  std::string heading;
  std::string refusal;  ///< why there is no table; else empty
  aligned_table table;
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

}  // namespace dwell::app
