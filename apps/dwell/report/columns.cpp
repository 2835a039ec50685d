// SPDX-License-Identifier: MIT
// Formats of values by unit.
#include "report/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/units.hpp"

#include "dwell/base/printable.hpp"

namespace dwell::app {

namespace {

std::string csv_quoted(const std::string& as_it_is) {
  const auto text = printable(as_it_is);  // a row, a line
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string inside;
  for (const char ch : text) inside.append(ch == '"' ? 2 : 1, ch);
  return fmt::format("\"{}\"", inside);
}

}  // namespace

std::string shown(const json& value, unit in) {
  if (value.is_null()) return "-";
  switch (in) {
    case unit::word:
    case unit::range:
      return value.get<std::string>();
    case unit::yes:
      return value.get<bool>() ? "yes" : "-";
    case unit::count:
      return format_count(value.get<std::int64_t>());
    case unit::number:
      return number_cell(value.get<double>());
    case unit::milli:
      return number_cell(value.get<double>() * 1e3);
    case unit::giga:
      return number_cell(value.get<double>() * 1e-9);
    case unit::percent:
      return format_percent(value.get<double>());
    case unit::bytes:
      return format_bytes(value.get<double>());
    case unit::us:
      return format_seconds(value.get<double>() * 1e-6);
    case unit::residual:
      return format_residual(value.get<double>());
  }
  return {};
}

std::string csv_field(const json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return csv_quoted(value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::string all;
  for (const auto& one : value) all += (all.empty() ? "" : " ") + csv_field(one);
  return all;
}

std::string csv_line(const std::vector<std::string>& fields) {
  return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace dwell::app
