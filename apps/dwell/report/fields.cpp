// SPDX-License-Identifier: MIT
// One rule for each type of a value, and for each unit of a number.
#include "report/fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include "report/units.hpp"

namespace dwell::app {
namespace {

std::string shown_number(double v, report_unit unit) {
  switch (unit) {
    case report_unit::bytes:
      return format_bytes(v);
    case report_unit::seconds:
      return format_seconds(v);
    case report_unit::microseconds:
      return format_seconds(v * 1e-6);
    case report_unit::relative:
      return format_residual(v);
    case report_unit::cells_per_second:
      return number_cell(v * 1e-9) + " GCells/s";
    default:
      return fmt::format(fmt::runtime(fmt::format("{{:{}}}", number_format(unit))), v);
  }
}

}  // namespace

json json_of(const report_value& v) {
  return std::visit(
      []<class T>(const T& found) -> json {
        if constexpr (std::is_same_v<T, std::monostate>)
          return nullptr;
        else if constexpr (std::is_same_v<T, std::vector<long long>>)
          return sizes_text(found);
        else
          return found;
      },
      v);
}

std::string shown(const report_value& v, report_unit unit, const char* says) {
  return std::visit(
      [&]<class T>(const T& found) -> std::string {
        if constexpr (std::is_same_v<T, std::monostate>)
          return "-";
        else if constexpr (std::is_same_v<T, bool>)
          return found && says ? says : "";
        else if constexpr (std::is_same_v<T, long long>)
          return unit == report_unit::bytes ? format_bytes(static_cast<double>(found))
                                            : format_count(static_cast<std::int64_t>(found));
        else if constexpr (std::is_same_v<T, double>)
          return shown_number(found, unit);
        else if constexpr (std::is_same_v<T, std::string>)
          return found;
        else if constexpr (std::is_same_v<T, std::vector<long long>>)
          return sizes_text(found);
        else
          return fmt::format("{} numbers", found.size());
      },
      v);
}

std::string filled(std::string_view text,
                   const std::function<std::string(std::string_view)>& value_of) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('{', at);
    out += text.substr(at, open - at);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    out += value_of(text.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  return out;
}

}  // namespace dwell::app
