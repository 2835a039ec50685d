// SPDX-License-Identifier: MIT
// Points of all strips, sorted.
#include "dwell/execution/stencil/fields/point_table.hpp"

#include <algorithm>
#include <tuple>

namespace dwell {

point_table point_table_of(std::span<const pass_point> points, const overlapping_strips& strips,
                           int ny) {
  /// A point in a strip.
  struct entry {
    int row, column;
    point_values values;
  };
  point_table table;
  std::vector<entry> entries;
  for (int strip = 0; strip < strips.count(); ++strip) {
    const std::int64_t origin = strips.origin(strip);
    const auto put = [&](const pass_point& p, std::int64_t column) {
      entries.push_back({static_cast<int>(p.row), static_cast<int>(column), p.values});
    };
    entries.clear();
    for (const pass_point& p : points) {
      if (p.values.receives) {
        if (p.x >= strips.first(strip) && p.x < strips.end(strip)) put(p, p.x - origin);
        continue;
      }
      std::int64_t column = p.x - origin;
      // Where strips go beyond the field, they may have a cell several times.
      if (strips.beyond)
        for (column %= strips.cells; column < 0;) column += strips.cells;
      for (; column >= 0 && column < strips.width; column += strips.cells) {
        put(p, column);
        if (!strips.beyond) break;
      }
    }
    std::ranges::stable_sort(
        entries, {}, [](const entry& e) { return std::tuple(e.row, e.column, e.values.receives); });

    const auto size = [](const auto& list) { return static_cast<int>(list.size()); };
    int row = 0;
    const auto begin_rows = [&](int until) {
      for (; row <= until; ++row) table.rows.push_back(size(table.cells));
    };
    int column = -1;
    for (const entry& e : entries) {
      if (e.row >= row || e.column != column) {
        begin_rows(e.row);
        table.cells.push_back({e.row, e.column, size(table.values)});
        column = e.column;
      }
      table.values.push_back(e.values);
    }
    begin_rows(ny);
    table.cells.push_back({point_cell::no_row, 0, size(table.values)});
  }
  return table;
}

}  // namespace dwell
