// SPDX-License-Identifier: MIT
// What does not depend on the report.
#include "dwell/base/report_table.hpp"

#include <cmath>

namespace dwell {

std::string json_type(report_kind kind, bool may_be_null) {
  const auto name = [&]() -> std::string {
    switch (kind) {
      case report_kind::flag:
        return "boolean";
      case report_kind::integer:
        return "integer";
      case report_kind::number:
        return "number";
      case report_kind::numbers:
        return "array of number";
      case report_kind::text:
      case report_kind::sizes:
        return "string";
    }
    return {};
  }();
  return may_be_null ? name + " or null" : name;
}

std::string_view unit_name(report_unit unit) {
  switch (unit) {
    case report_unit::bytes:
      return "bytes";
    case report_unit::seconds:
      return "s";
    case report_unit::microseconds:
      return "us";
    case report_unit::cells:
      return "cells";
    case report_unit::cells_per_second:
      return "cells/s";
    default:
      return {};
  }
}

std::string_view number_format(report_unit unit) {
  switch (unit) {
    case report_unit::relative:
      return ".2e";
    case report_unit::bound:
      return ".1e";
    case report_unit::value:
      return ".6g";
    default:
      return ".3g";
  }
}

std::string sizes_text(const std::vector<long long>& sizes) {
  std::string text;
  for (const long long one : sizes) text += (text.empty() ? "" : "x") + std::to_string(one);
  return text;
}

bool says_nothing(const report_value& v) {
  if (std::holds_alternative<std::monostate>(v)) return true;
  if (const auto* text = std::get_if<std::string>(&v)) return text->empty();
  if (const auto* number = std::get_if<double>(&v)) return !std::isfinite(*number);
  return false;
}

}  // namespace dwell
