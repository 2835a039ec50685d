// SPDX-License-Identifier: MIT
// dwell_report: the values of a report by name.
#pragma once
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dwell/base/report_table.hpp"
#include "dwell/bindings/c/named_values.hpp"
#include "dwell/dwell.h"

/// What dwell/dwell.h declares as opaque.
struct dwell_report {
  struct entry {
    const char* name;
    dwell::c_api::value is;
  };
  std::vector<entry> entries;
  std::vector<double> history;
};

namespace dwell::c_api {

/// A number that there is not is NaN; sizes are a text, "64x200".
inline value value_of_field(report_value from) {
  return std::visit(
      []<class T>(T&& found) -> value {
        using type = std::remove_cvref_t<T>;
        if constexpr (std::is_same_v<type, std::monostate>)
          return std::numeric_limits<double>::quiet_NaN();
        else if constexpr (std::is_same_v<type, bool>)
          return static_cast<long long>(found);
        else if constexpr (std::is_same_v<type, std::vector<long long>>)
          return sizes_text(found);
        else
          return std::forward<T>(found);
      },
      std::move(from));
}

/// A new report with the values of the table's rows that C has, for the caller; numbers in a list
/// are its history.
template <class Report>
dwell_report* new_report(std::span<const report_field<Report>> rows, const Report& of) {
  auto made = std::make_unique<dwell_report>();
  made->entries.reserve(rows.size());
  for (const auto& row : rows) {
    if (!row.is_on(report_surface::c)) continue;
    if (row.is.kind == report_kind::numbers)
      made->history = std::get<std::vector<double>>(row.value(of));
    else
      made->entries.push_back({row.name, value_of_field(row.value(of))});
  }
  return made.release();
}

}  // namespace dwell::c_api
