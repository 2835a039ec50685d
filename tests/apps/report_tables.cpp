// SPDX-License-Identifier: MIT
// The tables of reports as JSON, for scripts/docs/report-tables.py.
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dwell/base/report_table.hpp"
#include "dwell/solvers/arrays/convolution/report_table.hpp"
#include "dwell/solvers/grid/report_table.hpp"
#include "dwell/solvers/linear/api/report_table.hpp"
#include "dwell/solvers/stencil/api/report_table.hpp"

namespace {

using namespace dwell;
using json = nlohmann::ordered_json;

template <class Report>
json rows_of(std::span<const report_field<Report>> table) {
  constexpr const char* kinds[] = {"flag", "integer", "number", "text", "numbers", "sizes"};
  constexpr const char* surfaces[] = {"C", "Python", "JSON", "the printed report",
                                      "Python's print"};
  const auto text = [](const char* t) { return t ? json(t) : json(); };
  json rows = json::array();
  for (const auto& row : table) {
    json absent = json::object();
    for (std::size_t k = 0; k < std::size(all_report_surfaces); ++k)
      if (const char* why = row.why_not(all_report_surfaces[k])) absent[surfaces[k]] = why;
    rows.push_back({{"name", row.name},
                    {"python", std::string(row.attribute())},
                    {"json", text(row.json)},
                    {"json_column", text(row.json_column)},
                    {"json_type", json_type(row.is.kind, row.none != nullptr)},
                    {"kind", kinds[static_cast<int>(row.is.kind)]},
                    {"unit", std::string(unit_name(row.unit))},
                    {"help", row.help},
                    {"words", row.words ? row.words() : std::vector<std::string>()},
                    {"none", text(row.none)},
                    {"absent", absent}});
  }
  return rows;
}

}  // namespace

int main() {
  std::cout << json{{"cg", rows_of(solve_report_table())},
                    {"stencil", rows_of(stencil_report_table())},
                    {"convolve", rows_of(convolution_report_table())},
                    {"grid", rows_of(grid_report_table())}}
                   .dump(1)
            << "\n";
}
