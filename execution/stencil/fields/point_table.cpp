// SPDX-License-Identifier: MIT
// Points of all strips, sorted.
#include "dwell/execution/stencil/fields/point_table.hpp"

#include <algorithm>
#include <tuple>

namespace dwell {

point_table point_table_of(std::span<const pass_point> points, const overlapping_strips& strips,
                           int ny, int across) {
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

    const auto first_row = static_cast<std::ptrdiff_t>(table.rows.size());
    const auto size = [&] { return static_cast<int>(table.list.size()); };
    std::size_t k = 0;
    for (int row = 0; row <= ny; ++row) {
      point_row of{size(), size(), 0, point_row::none};
      for (; k < entries.size() && entries[k].row == row; ++k) {
        table.list.push_back({entries[k].values, entries[k].column});
        of.columns |= std::uint32_t{1} << entries[k].column % across;
        of.next = row;
      }
      of.end = size();
      table.rows.push_back(of);
    }
    for (auto row = table.rows.end() - 1; row != table.rows.begin() + first_row; --row)
      if (row[-1].next == point_row::none) row[-1].next = row->next;
  }
  table.list.push_back({});
  return table;
}

}  // namespace dwell
