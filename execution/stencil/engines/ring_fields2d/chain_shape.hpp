// SPDX-License-Identifier: MIT
// What engine ring_fields2d has to know of a stencil, and the sizes that follow from it and from a
// config: functions of values, for the kernels at compile time and for a host that plans one which
// is not compiled yet.
#pragma once
#include <algorithm>
#include <cstddef>

#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// What a stage reads: an array at an offset. Arrays are the fields and then the coefficients.
struct field_tap {
  int array, dy, dx;
  int dz = 0;
};

/// Rows of one array that a stage reads, and columns.
struct tap_reach {
  int back = 0, ahead = 0;  ///< rows before and behind the cell's
  int across = 0;           ///< columns to either side
  bool wide = false;        ///< a row of the last ones is read beside the cell's column
};

/// Warps of a team that compute are a chain, as in ring2d; a slot holds `rows` rows of every array.
struct chain_config {
  int warps;   ///< that compute
  int steps;   ///< steps of a warp
  int across;  ///< neighbouring cells of a lane; odd, so that lanes read different banks
  int slots;   ///< slots of a ring
  int rows;    ///< rows of a slot, of each array
  int ahead;   ///< cells of a lane that are loaded ahead of their use
  /// Slots of a ring of coefficients, `rows` rows each, that all warps read. 0: coefficients travel
  /// with the fields.
  int shared = 0;
  int teams = 1;
  bool bulk = true;
  /// Equal in all.
  friend constexpr bool operator==(const chain_config&, const chain_config&) = default;
};

/// What steps of a pass have besides a stencil: a kernel without pays nothing for it.
struct pass_demands {
  bool parameters_change = false;  ///< parameters have a value for each step
  bool points = false;             ///< there are sources or receivers
  /// Equal in both.
  friend constexpr bool operator==(const pass_demands&, const pass_demands&) = default;
};

struct chain_shape {
  static constexpr int most_stages = 6;  ///< stages of a step in passes

  int fields = 0, coefficients = 0, stages = 0, radius = 0;
  bool is_mirrored_along_y = false;  ///< rows beyond a border are found among those within
  /// The field whose own cell a field becomes in stage 0, or -1.
  int copy_of[field_limits::fields] = {-1, -1, -1, -1};
  /// Reach of each stage: in every array, and at last in all together.
  tap_reach reaches[most_stages][field_limits::arrays + 1] = {};

  constexpr int arrays() const { return fields + coefficients; }

  /// Once what is above is there. Taps: of field_tap.
  template <class Taps>
  constexpr void set_taps(int stage, const Taps& taps) {
    for (int array = 0; array <= arrays(); ++array)
      reaches[stage][array < arrays() ? array : field_limits::arrays] =
          reach_in(taps, array < arrays() ? array : -1);
  }

  /// In the taps of one array, or of all (array -1).
  constexpr const tap_reach& reach(int stage, int array) const {
    return reaches[stage][array < 0 ? field_limits::arrays : array];
  }
  /// Rows by which the row that a stage makes is behind the one that arrives: of that one only the
  /// cell's own column is read, since the lanes beside it have theirs at the same time.
  constexpr int delay(int stage) const {
    return reach(stage, -1).ahead + (reach(stage, -1).wide ? 1 : 0);
  }
  /// Delay of a step: all its stages.
  constexpr int step_delay() const {
    int n = 0;
    for (int s = 0; s < stages; ++s) n += delay(s);
    return n;
  }
  /// Rows and columns that are lost in a step on either side.
  constexpr int step_rows() const {
    int n = 0;
    for (int s = 0; s < stages; ++s) n += std::max(reach(s, -1).back, delay(s));
    return n;
  }
  constexpr int step_columns() const {
    int n = 0;
    for (int s = 0; s < stages; ++s) n += reach(s, -1).across;
    return n;
  }
  /// Whether all stages read an array in the cell itself only.
  constexpr bool is_pointwise(int array) const {
    for (int s = 0; s < stages; ++s) {
      const tap_reach& r = reach(s, array);
      if (r.back != 0 || r.ahead != 0 || r.across != 0) return false;
    }
    return true;
  }
  /// Whether coefficients may stay in a ring that all warps read: if there are any, stages read
  /// them in the cell itself only, and a step reads neighbours, so that rows are kept at all.
  constexpr bool shares_coefficients() const {
    if (stages != 1 || coefficients == 0 || delay(0) == 0) return false;
    for (int k = fields; k < arrays(); ++k)
      if (!is_pointwise(k)) return false;
    return true;
  }
  /// Field `field` is the value that another, computed one had a step before, read in its own cell
  /// only: its rows are rows that are kept of the other one, and it travels as many rows late as a
  /// step does. Where a step reads no neighbours no rows are kept.
  constexpr bool is_renamed(int field) const {
    if (stages != 1 || field >= fields) return false;
    const int from = copy_of[field];
    if (from < 0 || from == field || copy_of[from] >= 0 || !is_pointwise(field)) return false;
    return delay(0) > 0 && delay(0) <= reach(0, from).back;
  }
  /// Rows by which some arrays come later than others.
  constexpr int late_rows() const {
    for (int f = 0; f < fields; ++f)
      if (is_renamed(f)) return step_delay();
    return 0;
  }

 private:
  template <class Taps>
  constexpr tap_reach reach_in(const Taps& taps, int array) const {
    tap_reach r;
    for (const field_tap& t : taps) {
      if (array >= 0 && t.array != array) continue;
      r.back = std::max(r.back, -t.dy);
      r.ahead = std::max(r.ahead, t.dy);
      r.across = std::max(r.across, t.dx < 0 ? -t.dx : t.dx);
    }
    // What lies beyond a border is found as far on the other side of the cell.
    if (is_mirrored_along_y) r.back = r.ahead = std::max(r.back, r.ahead);
    for (const field_tap& t : taps) {
      const int rows = is_mirrored_along_y && t.dy < 0 ? -t.dy : t.dy;
      if ((array < 0 || t.array == array) && rows == r.ahead && t.dx != 0) r.wide = true;
    }
    return r;
  }
};

/// Rows of the arrays that a lane keeps, for the stages of all its steps.
struct kept_counts {
  chain_shape shape;
  chain_config config;

  /// Arrays that travel from warp to warp.
  constexpr int carried() const { return config.shared > 0 ? shape.fields : shape.arrays(); }
  constexpr int substages() const { return config.steps * shape.stages; }
  /// For stage `substage`, counted over the steps.
  constexpr int count(int substage, int array) const {
    if (shape.is_renamed(array)) return 0;
    if (array >= carried()) return substage == 0 ? (config.steps - 1) * shape.delay(0) : 0;
    const int stage = substage % shape.stages;
    return shape.delay(stage) + shape.reach(stage, array).back;
  }
  /// The first of them among all that a lane keeps.
  constexpr int first(int substage, int array) const {
    int n = 0;
    for (int q = 0; q < substage; ++q)
      for (int a = 0; a < shape.arrays(); ++a) n += count(q, a);
    for (int a = 0; a < array; ++a) n += count(substage, a);
    return n;
  }
  constexpr int all() const { return first(substages(), 0); }
  /// After so many rows every array's rows are kept in the places where they were.
  constexpr int period() const {
    int n = 1;
    for (int q = 0; q < substages(); ++q)
      for (int a = 0; a < shape.arrays(); ++a) n = common_multiple(n, count(q, a));
    return n;
  }
  /// Rows that come and go in one turn of the loop: whole periods, whole slots.
  constexpr int turn() const { return common_multiple(period(), config.rows); }

 private:
  static constexpr int common_multiple(int a, int b) {
    int n = a;
    while (b > 0 && n % b != 0) n += a;
    return n;
  }
};

/// Sizes of a kernel of a pass, for values of so many bytes.
struct chain_numbers {
  chain_shape shape;
  chain_config config;
  int value_bytes;

  constexpr kept_counts kept() const { return {shape, config}; }
  constexpr int width() const { return 32 * config.across; }  ///< cells of a row of a team
  constexpr int depth() const { return config.warps * config.steps; }
  constexpr int halo() const { return depth() * shape.step_columns(); }
  constexpr int own() const { return width() - 2 * halo(); }
  constexpr int unit() const { return 16 / value_bytes; }  ///< values of the least bulk copy
  constexpr int row_values() const { return width() + unit(); }
  constexpr int rings() const { return config.warps + 1; }
  constexpr std::size_t slot_bytes() const {
    return static_cast<std::size_t>(value_bytes) * config.rows * kept().carried() * row_values();
  }
  /// Rows by which a warp is behind the one before it.
  constexpr int lag() const { return config.steps * shape.step_delay(); }
  /// The least `shared` with which no warp waits for itself.
  constexpr int least_shared() const {
    return ((config.warps - 1) * lag() + config.rows - 1) / config.rows + 1;
  }
  constexpr std::size_t scratch_bytes() const {
    const int aux_arrays = shape.arrays() - kept().carried();
    return static_cast<std::size_t>(rings()) * config.slots * (slot_bytes() + 16) +
           static_cast<std::size_t>(config.shared) *
               (static_cast<std::size_t>(value_bytes) * config.rows * aux_arrays * row_values() +
                8);
  }
  constexpr int lanes() const { return 32 * (config.warps + (config.bulk ? 4 : 2)); }
  /// Whether there is such a kernel.
  constexpr bool valid() const {
    if (config.shared > 0 && (!shape.shares_coefficients() || config.shared < least_shared()))
      return false;
    return own() > 0 && config.slots >= 2 && config.across <= 32 &&
           shape.step_columns() <= config.across;
  }
};

}  // namespace dwell
