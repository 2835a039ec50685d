// SPDX-License-Identifier: MIT
// See comparison_layout.hpp.
#include "comparison_layout.hpp"

#include <fmt/format.h>

#include "dwell/formats/printable.hpp"

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

std::string number_cell(double v) {
  if (v > 0 && v < 9.995e-5) return fmt::format("{:.2e}", v);
  int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
  for (double first = 0.9995; v > 0 && v < first; first /= 10) ++decimals;
  return fmt::format("{:.{}f}", v, decimals);
}

std::string number_or_dash(double v) { return v > 0 ? number_cell(v) : "-"; }

std::string percent_or_dash(double v) { return v > 0 ? fmt::format("{:.0f} %", 100 * v) : "-"; }

std::string csv_text(const std::string& as_it_is) {
  const auto text = printable(as_it_is);  // a run, a line
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string inside;
  for (const char ch : text) inside.append(ch == '"' ? 2 : 1, ch);
  return fmt::format("\"{}\"", inside);
}

std::string csv_number(double v) { return v > 0 ? fmt::format("{}", v) : ""; }

json number_or_null(double v) { return v > 0 ? json(v) : json(nullptr); }
json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

}  // namespace dwell::app
