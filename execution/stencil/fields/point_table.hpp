// SPDX-License-Identifier: MIT
// The tables by which passes of several steps and fields on a chip find sources and receivers
// (points.hpp of engines ring_fields2d and resident_fields, lane.hpp of column_fields3d).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "dwell/execution/stencil/engines/column_fields3d/sizes.hpp"
#include "dwell/execution/stencil/engines/resident_fields/shape.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"

namespace dwell {

/// A source or a receiver.
struct pass_point {
  std::int64_t row, x;
  point_values values;
};

/// What pass_points points to, but for values.
struct point_table {
  std::vector<point_row> rows;
  std::vector<strip_point> list;
};

/// For strips of a field of so many rows, of which a lane has `across` columns. Sources of a cell
/// are added in the order that they have here.
point_table point_table_of(std::span<const pass_point> points, const overlapping_strips& strips,
                           int ny, int across);

/// For tiles of columns, whose lanes have `lane_rows` rows each; nz: planes. Likewise.
point_table columns_table_of(std::span<const pass_point> points, const columns_tiles& tiles, int nz,
                             int lane_rows);

/// What resident_points points to, but for values.
struct tile_points {
  std::vector<int> first;
  std::vector<strip_point> list;
};

/// For tiles of a run with halos of `depth` steps; n, tiles: of axes y, x, z. Likewise.
tile_points tile_points_of(std::span<const pass_point> points, const resident_numbers& numbers,
                           const int (&n)[3], const int (&tiles)[3], int depth);

}  // namespace dwell
