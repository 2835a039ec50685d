// SPDX-License-Identifier: MIT
// Widths are counted in bytes: cells are ASCII, but for names of files.
#include "report/aligned_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/printable.hpp"

namespace dwell::app {

namespace {

std::string aligned(const std::string& cell, std::size_t width, bool right) {
  return right ? fmt::format("{:>{}}", cell, width) : fmt::format("{:<{}}", cell, width);
}

std::string escaped_cell(const std::string& cell) {
  std::string out;
  for (const char c : cell) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

void aligned_table::row(std::vector<std::string> cells) {
  for (auto& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> aligned_table::widths() const {
  std::vector<std::size_t> width;
  for (std::size_t c = 0; c < heads_.size(); ++c) {
    width.push_back(heads_[c].text.size());
    for (const auto& r : rows_) width[c] = std::max(width[c], r[c].size());
  }
  return width;
}

std::string aligned_table::text() const {
  const auto width = widths();
  std::string out;
  const auto line = [&](auto&& cell) {
    std::string all;
    for (std::size_t c = 0; c < heads_.size(); ++c)
      all += fmt::format("{}{}", c ? "  " : "", aligned(cell(c), width[c], heads_[c].right));
    all.erase(all.find_last_not_of(' ') + 1);
    out += all + "\n";
  };
  line([&](std::size_t c) { return heads_[c].text; });
  line([&](std::size_t c) { return std::string(width[c], '-'); });
  for (const auto& r : rows_) line([&](std::size_t c) { return r[c]; });
  return out;
}

std::string aligned_table::markdown() const {
  auto width = widths();
  for (auto& w : width) w = std::max<std::size_t>(w, 3);
  std::string out;
  const auto line = [&](auto&& cell) {
    out += "|";
    for (std::size_t c = 0; c < heads_.size(); ++c)
      out += fmt::format(" {} |", aligned(cell(c), width[c], heads_[c].right));
    out += "\n";
  };
  line([&](std::size_t c) { return heads_[c].text; });
  line([&](std::size_t c) {
    return heads_[c].right ? std::string(width[c] - 1, '-') + ":" : std::string(width[c], '-');
  });
  for (const auto& r : rows_) line([&](std::size_t c) { return escaped_cell(r[c]); });
  return out;
}

}  // namespace dwell::app
