// SPDX-License-Identifier: MIT
// Captions, remarks and legends around the tables of a comparison.
#include "compare/layout.hpp"

#include <fmt/format.h>

#include "dwell/base/printable.hpp"

namespace dwell::app {

namespace {

std::string above(const comparison_layout& c) {
  return c.caption + "\n" + (c.note.empty() ? "" : "\n" + c.note + "\n") + "\n";
}

constexpr const char* no_rows = "no row was measured";

}  // namespace

std::string comparison_layout::text() const {
  std::string out = above(*this);
  for (const auto& s : sections) {
    if (!s.refusal.empty())
      out += fmt::format("{}: refused: {}\n", printable(s.heading), printable(s.refusal));
    else if (s.table.empty())
      out += fmt::format("{}: {}\n", printable(s.heading), no_rows);
    else
      out += fmt::format("{}\n{}", printable(s.heading), s.table.text());
    for (const auto& line : s.remarks) out += fmt::format("  {}\n", printable(line));
    out += "\n";
  }
  for (const auto& line : legend) out += line + "\n";
  return out;
}

std::string comparison_layout::markdown() const {
  std::string out = above(*this);
  for (const auto& s : sections) {
    if (!s.refusal.empty())
      out += fmt::format("**{}**: refused: {}\n\n", printable(s.heading), printable(s.refusal));
    else if (s.table.empty())
      out += fmt::format("**{}**: {}\n\n", printable(s.heading), no_rows);
    else
      out += fmt::format("**{}**\n\n{}\n", printable(s.heading), s.table.markdown());
    for (const auto& line : s.remarks) out += fmt::format("* {}\n", printable(line));
    if (!s.remarks.empty()) out += "\n";
  }
  for (const auto& line : legend) out += line + "\n";
  return out;
}

std::string interrupted_words(std::size_t rows) {
  return rows == 0 ? "interrupted before the first row was measured"
                   : "interrupted; the rows measured before it are complete";
}

}  // namespace dwell::app
