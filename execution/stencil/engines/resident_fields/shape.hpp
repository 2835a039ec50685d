// SPDX-License-Identifier: MIT
// What engine resident_fields has to know of a stencil, and the sizes that follow from it and from
// a config: functions of values, for the kernel at compile time and for a host that plans one which
// is not compiled yet. Axes are numbered as kernels do: y, x, z.
#pragma once
#include <cstddef>

#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// A team's lanes are a grid; each has a box of cells. All of them together are the team's region:
/// its own cells, and those around them that it computes, too.
struct resident_config {
  int lanes_x, lanes_y;  ///< lanes beside each other, and one above the other
  int across, rows;      ///< cells of a lane
  int held = 0;     ///< coefficients that lanes hold in registers: of those that are read in the
                    ///< cell itself only, so many, the first ones; others are in scratch
  int lanes_z = 1;  ///< lanes one behind the other
  int deep = 1;     ///< planes of a lane
  /// Equal in all.
  friend constexpr bool operator==(const resident_config&, const resident_config&) = default;

  constexpr int lanes_along(int axis) const {
    return axis == 0 ? lanes_y : axis == 1 ? lanes_x : lanes_z;
  }
  constexpr int cells_along(int axis) const { return axis == 0 ? rows : axis == 1 ? across : deep; }
};

/// Cells that are read in one array, from a cell, towards lower and higher indices of an axis.
struct resident_reach {
  int low[3] = {}, high[3] = {};
  constexpr bool beside() const {
    for (int axis = 0; axis < 3; ++axis)
      if (low[axis] > 0 || high[axis] > 0) return true;
    return false;
  }
  constexpr int most(int axis) const { return low[axis] > high[axis] ? low[axis] : high[axis]; }
  constexpr void include(const resident_reach& other) {
    for (int axis = 0; axis < 3; ++axis) {
      if (other.low[axis] > low[axis]) low[axis] = other.low[axis];
      if (other.high[axis] > high[axis]) high[axis] = other.high[axis];
    }
  }
};

struct resident_shape {
  static constexpr int most_stages = 8;

  int fields = 0, coefficients = 0, stages = 0;
  bool goes_around[3] = {};
  resident_reach reaches[most_stages][field_limits::arrays] = {};
  bool writes[most_stages][field_limits::fields] = {};

  constexpr int arrays() const { return fields + coefficients; }
  /// Taps: of field_tap.
  template <class Taps>
  constexpr void set_taps(int stage, const Taps& taps) {
    for (const auto& t : taps) {
      const int by[3] = {t.dy, t.dx, t.dz};
      resident_reach here;
      for (int axis = 0; axis < 3; ++axis) {
        here.low[axis] = by[axis] < 0 ? -by[axis] : 0;
        here.high[axis] = by[axis] > 0 ? by[axis] : 0;
      }
      reaches[stage][t.array].include(here);
    }
  }

  /// In an array, in all stages.
  constexpr resident_reach reach(int array) const {
    resident_reach all;
    for (int s = 0; s < stages; ++s) all.include(reaches[s][array]);
    return all;
  }
  /// Whether a stage reads the array in another cell than the one that it computes.
  constexpr bool is_spread(int array) const {
    for (int s = 0; s < stages; ++s)
      if (reaches[s][array].beside()) return true;
    return false;
  }
  /// Cells along an axis to the farthest one that any stage reads.
  constexpr int reach_along(int axis) const {
    int n = 0;
    for (int s = 0; s < stages; ++s)
      for (int a = 0; a < arrays(); ++a)
        if (reaches[s][a].most(axis) > n) n = reaches[s][a].most(axis);
    return n;
  }
  /// Cells along an axis that are lost in a step on either side.
  constexpr int step_along(int axis) const {
    int n = 0;
    for (int s = 0; s < stages; ++s) {
      int most = 0;
      for (int a = 0; a < arrays(); ++a)
        if (reaches[s][a].most(axis) > most) most = reaches[s][a].most(axis);
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

  constexpr int used_lanes() const { return config.lanes_x * config.lanes_y * config.lanes_z; }
  /// Lanes of a team: whole warps, two at least.
  constexpr int lanes() const {
    const int n = (used_lanes() + 31) / 32 * 32;
    return n < 64 ? 64 : n;
  }
  /// Cells of a lane.
  constexpr int cells() const { return config.across * config.rows * config.deep; }
  /// Cells of the region along an axis.
  constexpr int extent(int axis) const {
    return config.lanes_along(axis) * config.cells_along(axis);
  }

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
  // so that neighbouring lanes read neighbouring values; around the region there is room for what
  // is read beyond it.
  constexpr int beside() const {
    return (shape.reach_along(1) + config.across - 1) / config.across;
  }
  constexpr int line() const { return config.lanes_x + 2 * beside(); }
  constexpr int pitch() const { return config.across * line(); }
  /// `n` values and some more, so that the lanes which are so many lanes further on, and neighbours
  /// of the last ones in a warp, read neighbouring banks.
  constexpr int to_next_bank(int n, int lanes) const {
    const int banks = 128 / value_bytes;
    return n + (lanes - n % banks + banks * lanes) % banks;
  }
  /// Values from a lane's row to the same row of the lane below.
  constexpr int group() const { return to_next_bank(config.rows * pitch(), config.lanes_x); }
  /// The place of a plane's first cell, and its values.
  constexpr int front() const { return group() - (config.rows - shape.reach_along(0)) * pitch(); }
  constexpr int plane_values() const {
    return (front() + config.lanes_y * group() + shape.reach_along(0) * pitch() + 3) / 4 * 4;
  }
  /// Values from a lane's plane to the same plane of the lane behind.
  constexpr int stack() const {
    const int n = config.deep * plane_values();
    return config.lanes_z == 1 ? n : to_next_bank(n, config.lanes_x * config.lanes_y);
  }
  /// The place of the region's first plane.
  constexpr int front_planes() const {
    return stack() - (config.deep - shape.reach_along(2)) * plane_values();
  }
  constexpr int array_values() const {
    return (front_planes() + config.lanes_z * stack() + shape.reach_along(2) * plane_values() + 3) /
           4 * 4;
  }
  constexpr std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(value_bytes) * static_cast<std::size_t>(array_values()) *
           static_cast<std::size_t>(scratch_arrays());
  }
  /// Cells that a lane moves from and to memory at once: along a row, tiles and halos are whole
  /// units.
  constexpr int unit() const {
    int n = 16 / value_bytes;
    while (config.across % n != 0) n /= 2;
    return n;
  }
  constexpr int unit(int axis) const { return axis == 1 ? unit() : 1; }
  constexpr int halo(int axis, int depth) const {
    return (depth * shape.step_along(axis) + unit(axis) - 1) / unit(axis) * unit(axis);
  }
  /// Whether regions have all cells of a grid in so many tiles, with halos that lie in the tiles
  /// next to them.
  constexpr bool fits(const int (&n)[3], const int (&tiles)[3], int depth) const {
    if (extent(2) == 1 && n[2] > 1) return false;  // kernels of one plane know no others
    for (int axis = 0; axis < 3; ++axis) {
      const int u = unit(axis), units = (n[axis] + u - 1) / u, around = halo(axis, depth);
      if (tiles[axis] > units) return false;
      if (tiles[axis] > 1 && n[axis] / u / tiles[axis] * u < around) return false;
      if (shape.goes_around[axis] && n[axis] < around) return false;
      if ((units + tiles[axis] - 1) / tiles[axis] * u + 2 * around > extent(axis)) return false;
    }
    return true;
  }
  /// Whether there is such a kernel.
  constexpr bool valid() const {
    for (int axis = 0; axis < 3; ++axis)
      if (config.cells_along(axis) <= 0 || config.lanes_along(axis) <= 0) return false;
    return config.rows >= shape.reach_along(0) && config.deep >= shape.reach_along(2) &&
           cells() <= 64 && lanes() <= 1024 && config.held <= shape.pointwise_coefficients();
  }
};

}  // namespace dwell
