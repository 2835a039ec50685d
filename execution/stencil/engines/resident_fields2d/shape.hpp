// SPDX-License-Identifier: MIT
// What engine resident_fields2d has to know of a stencil, and the sizes that follow from it and
// from a config: functions of values, for the kernel at compile time and for a host that plans one
// which is not compiled yet.
#pragma once
#include <cstddef>

#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// A team's lanes are a grid; each has a box of cells. All of them together are the team's region:
/// its own cells, and those around them that it computes, too.
struct resident_config {
  int lanes_x, lanes_y;  ///< lanes beside each other, and one above the other
  int across, rows;      ///< cells of a lane
  int held = 0;  ///< coefficients that lanes hold in registers: of those that are read in the cell
                 ///< itself only, so many, the first ones; others are in scratch
  /// Equal in all.
  friend constexpr bool operator==(const resident_config&, const resident_config&) = default;
};

/// Cells that are read in one array, from a cell.
struct resident_reach {
  int up = 0, down = 0, left = 0, right = 0;
  constexpr bool beside() const { return up > 0 || down > 0 || left > 0 || right > 0; }
  constexpr int rows() const { return up > down ? up : down; }
  constexpr int columns() const { return left > right ? left : right; }
};

struct resident_shape {
  static constexpr int most_stages = 8;

  int fields = 0, coefficients = 0, stages = 0;
  bool goes_around[2] = {};  ///< rows, columns
  resident_reach reaches[most_stages][field_limits::arrays] = {};
  bool writes[most_stages][field_limits::fields] = {};

  constexpr int arrays() const { return fields + coefficients; }
  /// Taps: of field_tap.
  template <class Taps>
  constexpr void set_taps(int stage, const Taps& taps) {
    for (const auto& t : taps) {
      resident_reach& r = reaches[stage][t.array];
      if (-t.dy > r.up) r.up = -t.dy;
      if (t.dy > r.down) r.down = t.dy;
      if (-t.dx > r.left) r.left = -t.dx;
      if (t.dx > r.right) r.right = t.dx;
    }
  }

  /// Whether a stage reads the array in another cell than the one that it computes.
  constexpr bool is_spread(int array) const {
    for (int s = 0; s < stages; ++s)
      if (reaches[s][array].beside()) return true;
    return false;
  }
  /// In an array, in all stages.
  constexpr resident_reach reach(int array) const {
    resident_reach all;
    for (int s = 0; s < stages; ++s) {
      const resident_reach& r = reaches[s][array];
      if (r.up > all.up) all.up = r.up;
      if (r.down > all.down) all.down = r.down;
      if (r.left > all.left) all.left = r.left;
      if (r.right > all.right) all.right = r.right;
    }
    return all;
  }
  /// Rows to the farthest cell that any stage reads.
  constexpr int reach_rows() const {
    int n = 0;
    for (int a = 0; a < arrays(); ++a)
      if (reach(a).rows() > n) n = reach(a).rows();
    return n;
  }
  constexpr int reach_columns() const {
    int n = 0;
    for (int a = 0; a < arrays(); ++a)
      if (reach(a).columns() > n) n = reach(a).columns();
    return n;
  }
  /// Rows and columns that are lost in a step on either side.
  constexpr int step_rows() const {
    int n = 0;
    for (int s = 0; s < stages; ++s) {
      int most = 0;
      for (int a = 0; a < arrays(); ++a)
        if (reaches[s][a].rows() > most) most = reaches[s][a].rows();
      n += most;
    }
    return n;
  }
  constexpr int step_columns() const {
    int n = 0;
    for (int s = 0; s < stages; ++s) {
      int most = 0;
      for (int a = 0; a < arrays(); ++a)
        if (reaches[s][a].columns() > most) most = reaches[s][a].columns();
      n += most;
    }
    return n;
  }
  /// Coefficients that are read in the cell itself only.
  constexpr int pointwise_coefficients() const {
    int n = 0;
    for (int a = fields; a < arrays(); ++a) n += !is_spread(a);
    return n;
  }
};

/// Sizes of a kernel, for values of so many bytes.
struct resident_numbers {
  resident_shape shape;
  resident_config config;
  int value_bytes;

  constexpr int used_lanes() const { return config.lanes_x * config.lanes_y; }
  /// Lanes of a team: whole warps, two at least.
  constexpr int lanes() const {
    const int n = (used_lanes() + 31) / 32 * 32;
    return n < 64 ? 64 : n;
  }
  constexpr int cells() const { return config.across * config.rows; }  ///< cells of a lane
  constexpr int width() const { return config.lanes_x * config.across; }
  constexpr int height() const { return config.lanes_y * config.rows; }

  /// Where a pointwise coefficient is held in registers, or -1.
  constexpr int held_place(int array) const {
    if (array < shape.fields || shape.is_spread(array)) return -1;
    int n = 0;
    for (int a = shape.fields; a < array; ++a) n += !shape.is_spread(a);
    return n < config.held ? n : -1;
  }
  /// Whether an array is in scratch: spread ones, and coefficients that no lane holds.
  constexpr bool in_scratch(int array) const {
    return shape.is_spread(array) || (array >= shape.fields && held_place(array) < 0);
  }
  constexpr int scratch_arrays() const {
    int n = 0;
    for (int a = 0; a < shape.arrays(); ++a) n += in_scratch(a);
    return n;
  }

  // An array in scratch: a row has the first cells of all lanes, then the second ones, and so on,
  // so that neighbouring lanes read neighbouring values; to either side there is room for what is
  // read beyond the region.
  constexpr int beside() const {
    return (shape.reach_columns() + config.across - 1) / config.across;
  }
  constexpr int line() const { return config.lanes_x + 2 * beside(); }
  constexpr int pitch() const { return config.across * line(); }
  /// Values from a lane's row to the same row of the lane below. The last lane of a row of lanes
  /// and the first of the next one are neighbours in a warp, so they read neighbouring banks.
  constexpr int group() const {
    const int banks = 128 / value_bytes, n = config.rows * pitch();
    return n + (config.lanes_x - n % banks + banks * config.lanes_x) % banks;
  }
  /// The place of the region's first cell.
  constexpr int front() const { return group() - (config.rows - shape.reach_rows()) * pitch(); }
  constexpr int array_values() const {
    return (front() + config.lanes_y * group() + shape.reach_rows() * pitch() + 3) / 4 * 4;
  }
  constexpr std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(value_bytes) * array_values() * scratch_arrays();
  }
  /// Cells that a lane moves from and to memory at once: along a row, tiles and halos are whole
  /// units.
  constexpr int unit() const {
    int n = 16 / value_bytes;
    while (config.across % n != 0) n /= 2;
    return n;
  }
  constexpr int halo_rows(int depth) const { return depth * shape.step_rows(); }
  constexpr int halo_columns(int depth) const {
    return (depth * shape.step_columns() + unit() - 1) / unit() * unit();
  }
  /// Whether regions have all cells of a grid in so many tiles, with halos that lie in the tiles
  /// next to them.
  constexpr bool fits(int ny, int nx, int tiles_y, int tiles_x, int depth) const {
    const int units = (nx + unit() - 1) / unit();
    const int rows = halo_rows(depth), columns = halo_columns(depth);
    if (tiles_y > ny || tiles_x > units) return false;
    if ((tiles_y > 1 || shape.goes_around[0]) && ny / tiles_y < rows) return false;
    if (tiles_x > 1 && nx / unit() / tiles_x * unit() < columns) return false;
    if (shape.goes_around[1] && nx < columns) return false;
    return (ny + tiles_y - 1) / tiles_y + 2 * rows <= height() &&
           (units + tiles_x - 1) / tiles_x * unit() + 2 * columns <= width();
  }
  /// Whether there is such a kernel.
  constexpr bool valid() const {
    return config.rows >= shape.reach_rows() && config.rows > 0 && config.across > 0 &&
           cells() <= 64 && used_lanes() > 0 && lanes() <= 1024 &&
           config.held <= shape.pointwise_coefficients();
  }
};

}  // namespace dwell
