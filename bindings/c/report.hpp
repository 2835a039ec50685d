// SPDX-License-Identifier: MIT
// dwell_report: the values of a report by name.
#pragma once
#include <string>
#include <utility>
#include <vector>

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

/// A new report with the rows' values, for the caller.
template <class Report>
dwell_report* new_report(std::span<const report_row<Report>> rows, const Report& of,
                         std::vector<double> history = {}) {
  auto made = std::make_unique<dwell_report>();
  made->entries.reserve(rows.size());
  for (const auto& row : rows) made->entries.push_back({row.name, row.get(of)});
  made->history = std::move(history);
  return made.release();
}

}  // namespace dwell::c_api
