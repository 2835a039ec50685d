// SPDX-License-Identifier: MIT
// Reports of the library, by the tables of their fields (base/report_table.hpp): JSON, and lines
// for people.
#pragma once
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/columns.hpp"
#include "report/timing_table.hpp"

#include "dwell/base/report_table.hpp"

namespace dwell::app {

json json_of(const report_value& v);
/// Text for people; for a flag what the table says where it is true.
std::string shown(const report_value& v, report_unit unit, const char* says);
/// `text` with what value_of(name) gives in place of each "{name}".
std::string filled(std::string_view text,
                   const std::function<std::string(std::string_view)>& value_of);

/// Values of a report in sentences: words("{device} ({on})").
template <class Report>
class report_words {
 public:
  report_words(std::span<const report_field<Report>> table, const Report& of)
      : table_(table), of_(&of) {}
  std::string shown(std::string_view name) const {
    const auto& row = field_named(table_, name);
    return app::shown(row.value(*of_), row.unit, row.says);
  }
  std::string operator()(std::string_view text) const {
    return filled(text, [this](std::string_view name) { return shown(name); });
  }

 private:
  std::span<const report_field<Report>> table_;
  const Report* of_;
};

/// A field of a document that is none of the report's, and before which of those it stands.
struct field_beside {
  std::string_view before;
  std::string path;
  json value;
};

/// Adds the fields of the report in the order of the table, and others among them.
template <class Report>
void add_report(json& out, std::span<const report_field<Report>> table, const Report& of,
                std::initializer_list<field_beside> others) {
  for (const auto& row : table) {
    for (const field_beside& one : others)
      if (one.before == row.name) set_field(out, one.path, one.value);
    if (row.json && std::string_view(row.json).find("[]") == std::string_view::npos)
      set_field(out, row.json, json_of(row.value_or_none(of)));
  }
}

/// The parts of the set-up, "check", "upload", ...: the fields of time.setup.
template <class Report>
std::vector<timed_part> parts_of_setup(std::span<const report_field<Report>> table,
                                       const Report& of) {
  constexpr std::string_view place = "time.setup.", suffix = "_s";
  std::vector<timed_part> parts;
  for (const auto& row : table) {
    const std::string_view name = row.name;
    if (row.json && std::string_view(row.json).starts_with(place))
      parts.push_back({std::string(name.substr(0, name.size() - suffix.size())),
                       std::get<double>(row.value(of))});
  }
  return parts;
}

/// What the report of each right-hand side has.
template <class Report>
json column_json(std::span<const report_field<Report>> table, const Report& of) {
  json out = json::object();
  for (const auto& row : table)
    if (row.json_column) out[row.json_column] = json_of(row.value_or_none(of));
  return out;
}

}  // namespace dwell::app
