// SPDX-License-Identifier: MIT
// Points of all strips or tiles, sorted.
#include "dwell/execution/stencil/fields/point_table.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "dwell/execution/stencil/engines/resident_fields/region.hpp"

namespace dwell {

namespace {

/// A point in a strip or a tile.
struct entry {
  int row, column;
  point_values values;
};

/// f(place) of each place that a strip has of cell x of its axis: if a receiver is there, of the
/// one that it owns. Where strips go beyond the field, they may have a cell several times.
template <class F>
void each_place(const overlapping_strips& strips, int strip, std::int64_t x, bool receives, F&& f) {
  const std::int64_t origin = strips.origin(strip);
  if (receives) {
    if (x >= strips.first(strip) && x < strips.end(strip)) f(static_cast<int>(x - origin));
    return;
  }
  std::int64_t place = x - origin;
  if (strips.beyond)
    for (place %= strips.cells; place < 0;) place += strips.cells;
  for (; place >= 0 && place < strips.width; place += strips.cells) {
    f(static_cast<int>(place));
    if (!strips.beyond) break;
  }
}

/// Appends the points of a strip of so many rows, of whose columns a lane has `across`.
void append_strip(std::vector<entry> entries, int count, int across, point_table& table) {
  std::ranges::stable_sort(
      entries, {}, [](const entry& e) { return std::tuple(e.row, e.column, e.values.receives); });
  const auto first_row = static_cast<std::ptrdiff_t>(table.rows.size());
  const auto size = [&] { return static_cast<int>(table.list.size()); };
  std::size_t k = 0;
  for (int row = 0; row <= count; ++row) {
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

}  // namespace

point_table point_table_of(std::span<const pass_point> points, const overlapping_strips& strips,
                           int ny, int across) {
  point_table table;
  for (int strip = 0; strip < strips.count(); ++strip) {
    std::vector<entry> entries;
    for (const pass_point& p : points)
      each_place(strips, strip, p.x, p.values.receives, [&](int column) {
        entries.push_back({static_cast<int>(p.row), column, p.values});
      });
    append_strip(std::move(entries), ny, across, table);
  }
  table.list.push_back({});
  return table;
}

point_table columns_table_of(std::span<const pass_point> points, const columns_tiles& tiles, int nz,
                             int lane_rows) {
  point_table table;
  const std::int64_t ny = tiles.y.cells;
  for (int tile = 0; tile < tiles.count(); ++tile) {
    std::vector<entry> entries;
    for (const pass_point& p : points) {
      const bool receives = p.values.receives;
      each_place(tiles.y, tile / tiles.x.count(), p.row % ny, receives, [&](int y) {
        each_place(tiles.x, tile % tiles.x.count(), p.x, receives, [&](int x) {
          const int lane = y / lane_rows * tiles.x.width + x;
          entries.push_back(
              {static_cast<int>(p.row / ny), lane * lane_rows + y % lane_rows, p.values});
        });
      });
    }
    append_strip(std::move(entries), nz, lane_rows, table);
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
