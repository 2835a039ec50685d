// SPDX-License-Identifier: MIT
// Points of all strips or tiles, sorted.
#include "dwell/execution/stencil/fields/point_table.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "dwell/execution/stencil/engines/resident_fields/region.hpp"

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

tile_points tile_points_of(std::span<const pass_point> points, const resident_numbers& numbers,
                           const int (&n)[3], const int (&tiles)[3], int depth) {
  /// A tile along an axis that has a cell, and the place of it in the tile's region.
  struct seat {
    int tile, at;
  };
  struct entry {
    int team, column;
    point_values values;
  };
  const auto seats = [&](int axis, int cell, bool owner_only) {
    std::vector<seat> found;
    const bool around = numbers.shape.goes_around[axis];
    for (int tile = 0; tile < tiles[axis]; ++tile) {
      const resident_span s = resident_span::of(n[axis], around, numbers.unit(axis), tile,
                                                tiles[axis], numbers.halo(axis, depth));
      if (owner_only) {
        if (s.is_own(cell)) found.push_back({tile, cell - s.begin()});
        continue;
      }
      // A region that goes around may have a cell several times.
      for (const int i : {cell - n[axis], cell, cell + n[axis]})
        if ((around || i == cell) && i >= s.begin() && i < s.last + s.halo)
          found.push_back({tile, i - s.begin()});
    }
    return found;
  };
  const resident_config& c = numbers.config;
  std::vector<entry> entries;
  for (const pass_point& p : points) {
    const bool receives = p.values.receives;
    const auto rows = seats(0, static_cast<int>(p.row % n[0]), receives);
    const auto columns = seats(1, static_cast<int>(p.x), receives);
    const auto planes = seats(2, static_cast<int>(p.row / n[0]), receives);
    for (const seat& z : planes)
      for (const seat& y : rows)
        for (const seat& x : columns) {
          const int lane =
              (z.at / c.deep * c.lanes_y + y.at / c.rows) * c.lanes_x + x.at / c.across;
          const int cell = (z.at % c.deep * c.rows + y.at % c.rows) * c.across + x.at % c.across;
          entries.push_back({(z.tile * tiles[0] + y.tile) * tiles[1] + x.tile,
                             lane * numbers.cells() + cell, p.values});
        }
  }
  std::ranges::stable_sort(
      entries, {}, [](const entry& e) { return std::tuple(e.team, e.column, e.values.receives); });
  tile_points all;
  for (const entry& e : entries) {
    while (static_cast<int>(all.first.size()) <= e.team)
      all.first.push_back(static_cast<int>(all.list.size()));
    all.list.push_back({e.values, e.column});
  }
  while (static_cast<int>(all.first.size()) <= tiles[0] * tiles[1] * tiles[2])
    all.first.push_back(static_cast<int>(all.list.size()));
  return all;
}

}  // namespace dwell
