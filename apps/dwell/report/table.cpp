// SPDX-License-Identifier: MIT
// The column of values starts two blanks after the longest label; no line ends in a blank.
#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/printable.hpp"

namespace dwell::app {

void table::row(const std::string& label, const std::string& value) {
  rows_.emplace_back(printable(label), printable(value));
}

std::string table::text() const {
  std::size_t width = 0;
  for (const auto& [label, value] : rows_) width = std::max(width, label.size());
  std::string out = title_.empty() ? "" : title_ + "\n\n";
  for (const auto& [label, value] : rows_)
    out += value.empty() ? label + "\n" : fmt::format("{:<{}}  {}\n", label, width, value);
  return out;
}

}  // namespace dwell::app
