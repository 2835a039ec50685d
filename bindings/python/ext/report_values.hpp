// SPDX-License-Identifier: MIT
// Reports as Python has them, made of their tables (base/report_table.hpp).
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "fields.hpp"

#include "dwell/base/report_table.hpp"

namespace dwell::python {

/// None where there is no value; sizes are a tuple.
inline nb::object object_of(const report_value& v) {
  return std::visit(
      []<class T>(const T& found) -> nb::object {
        if constexpr (std::is_same_v<T, std::monostate>)
          return nb::none();
        else if constexpr (std::is_same_v<T, std::vector<long long>>)
          return nb::tuple(nb::cast(found));
        else
          return nb::cast(found);
      },
      v);
}

/// The fields of the class of the report: those of a part ("setup.check_s") as a dict in it.
template <class Report>
fields report_fields(std::span<const report_field<Report>> table, const Report& of) {
  fields out;
  for (const auto& row : table) {
    if (!row.is_on(report_surface::python)) continue;
    const std::string name(row.attribute());
    const auto dot = name.find('.');
    if (dot == std::string::npos) {
      out[name.c_str()] = object_of(row.value(of));
    } else {
      const std::string part = name.substr(0, dot);
      if (!out.contains(part.c_str())) out[part.c_str()] = nb::dict();
      out[part.c_str()][name.substr(dot + 1).c_str()] = object_of(row.value(of));
    }
  }
  return out;
}

/// The rows for Python's docstrings, printed reports and tests.
template <class Report>
std::vector<fields> report_rows(std::span<const report_field<Report>> table) {
  constexpr const char* kinds[] = {"bool", "int", "float", "str", "list[float]", "tuple[int, ...]"};
  const auto text = [](const char* t) { return t ? std::string(t) : std::string(); };
  std::vector<fields> rows;
  for (const auto& row : table) {
    if (!row.is_on(report_surface::python)) continue;
    fields out;
    out["name"] = row.name;
    out["attribute"] = std::string(row.attribute());
    out["type"] = kinds[static_cast<int>(row.is.kind)];
    out["unit"] = std::string(unit_name(row.unit));
    out["format"] = std::string(number_format(row.unit));
    out["help"] = row.help;
    out["words"] = row.words ? row.words() : std::vector<std::string>();
    out["says"] = text(row.says);
    out["optional"] = std::holds_alternative<std::monostate>(row.value(Report()));
    out["not_printed"] = text(row.why_not(report_surface::repr));
    rows.push_back(out);
  }
  return rows;
}

/// A property for each field that is a number, a flag or a text, and fields() for all.
template <class Report>
void add_report(nb::class_<Report>& to, std::span<const report_field<Report>> table) {
  for (const auto& row : table) {
    const std::string name(row.attribute());
    if (!row.is_on(report_surface::python) || name.find('.') != std::string::npos) continue;
    const auto add = [&]<class T>(T) {
      to.def_prop_ro(name.c_str(), [&row](const Report& of) { return std::get<T>(row.value(of)); });
    };
    switch (row.is.kind) {
      case report_kind::flag:
        add(bool());
        break;
      case report_kind::integer:
        add(static_cast<long long>(0));
        break;
      case report_kind::number:
        add(0.0);
        break;
      case report_kind::text:
        add(std::string());
        break;
      default:
        break;
    }
  }
  to.def("fields", [table](const Report& of) { return report_fields(table, of); });
}

}  // namespace dwell::python
