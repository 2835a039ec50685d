// SPDX-License-Identifier: MIT
// How deep, how wide and how large temporal blocking should be for device memory not to be its
// bottleneck (Zhang 2023, sections 5.7.2, 5.7.4 and 5.9). Pure functions; lengths in cells.
#pragma once
#include <limits>

namespace dwell::model {

/// Device memory against the resource that is to become the bottleneck, shared memory or
/// arithmetic.
struct blocking_pressure {
  double memory = 2;  ///< accesses of device memory of a cell and pass (a_gm)
  double other = 1;   ///< accesses of shared memory, or flop, of a cell and step (a_sm or a_cmp)
  /// The rate of the other over that of device memory: of shared memory B_sm / B_gm; of arithmetic
  /// the machine balance in flop per cell, that is per byte times the bytes of a cell.
  double ratio = 1;
  double radius = 1;  ///< radius of the stencil
};

/// Steps from which on memory is no bottleneck, without halos between tiles (equations 5.13
/// and 5.24).
constexpr double desired_depth(const blocking_pressure& p) { return p.memory / p.other * p.ratio; }

/// Desired depth with device tiles, which load the halo of `depth` steps from each other: the
/// smallest t of a_sm D_sm t / B_sm >= a_gm D_gm / B_gm with D_gm = x y + 2 (x + y) t rad
/// (equations 5.14 and 5.15). Infinity where halos alone keep memory busy, whatever the depth.
/// Equations 5.16 to 5.19 and 5.31 of the dissertation have a factor of 2 too many in the numerator
/// and do not give its 18.34 steps.
constexpr double desired_depth(const blocking_pressure& p, double tile_x, double tile_y) {
  const double area = tile_x * tile_y;
  const double left =
      p.other * area - p.ratio * p.memory * 2 * (tile_x + tile_y) * p.radius;  // condition 5.17
  return left > 0 ? p.ratio * p.memory * area / left : std::numeric_limits<double>::infinity();
}

/// The width of square device tiles above which halos are no bottleneck by themselves
/// (equations 5.23 and 5.30).
constexpr double desired_tile(const blocking_pressure& p) {
  return 4 * p.memory / p.other * p.ratio * p.radius;
}

/// What a tile is of: its width and height, the radius of the stencil, steps of a pass, bytes of a
/// cell.
struct blocking_tile {
  double x = 256, y = 4;
  double radius = 1;
  double depth = 1;
  double bytes = 8;
};

/// Bytes of scratch that a tile in two dimensions takes, one barrier a step (equation 5.26). For
/// cells of 8 bytes this is twice what the dissertation's equation 5.28 says, which has 4.
constexpr double desired_capacity_2d(const blocking_tile& t) {
  return (t.y + (2 * t.radius + t.y) + t.radius * t.depth) * t.x * t.bytes;
}

/// With lazy streaming, one barrier a tile (equation 5.27; for 5.29 as above).
constexpr double desired_capacity_2d_lazy(const blocking_tile& t) {
  return (t.y + (t.y + t.radius) * t.depth) * t.x * t.bytes;
}

/// In three dimensions, square tiles of width x that stream along z (equation 5.32).
constexpr double desired_capacity_3d(const blocking_tile& t) {
  const double width = t.x + 2 * t.radius;
  return width * width * ((1 + t.radius) * t.depth + 1) * t.bytes;
}

/// With lazy streaming (equation 5.33).
constexpr double desired_capacity_3d_lazy(const blocking_tile& t) {
  const double width = t.x + 2 * t.radius;
  return width * width * (1 + 2 * t.radius) * t.depth * t.bytes;
}

}  // namespace dwell::model
