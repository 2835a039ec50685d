// SPDX-License-Identifier: MIT
// The table by which passes of several steps find sources and receivers
// (engines/ring_fields2d/points.hpp).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

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

}  // namespace dwell
