// SPDX-License-Identifier: MIT
// What engine column_fields3d has to know of a stencil, and the sizes that follow from it and from
// a config: functions of values, for the kernels at compile time and for a host that plans one
// which is not compiled yet.
#pragma once
#include <algorithm>
#include <cstddef>

#include "dwell/execution/stencil/engines/ring_fields2d/chain_shape.hpp"
#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// Planes of one array that a stage reads, counted from the cell's.
struct plane_reach {
  bool read = false;
  int back = 0, ahead = 0;  ///< in which it reads the cell's own column
  bool wide = false;        ///< it reads beside that column, in these planes:
  int wide_first = 0, wide_last = 0;

  /// The newest plane that has to be there, one tick before where other lanes have put it there.
  constexpr int newest() const { return wide ? std::max(ahead, wide_last + 1) : ahead; }
  constexpr int oldest() const { return wide ? std::min(-back, wide_first) : -back; }
};

/// A team's lanes lie side by side, `across` along x and `groups` along y; each has `rows`
/// neighbouring cells along y of every plane that passes.
struct columns_config {
  int across;
  int groups;
  int rows;
  int steps;  ///< a pass has so many
  /// Equal in all.
  friend constexpr bool operator==(const columns_config&, const columns_config&) = default;
};

struct columns_shape {
  static constexpr int most_stages = chain_shape::most_stages;

  int fields = 0, coefficients = 0, stages = 0;
  /// Planes beyond a border along z are found among those within.
  bool is_mirrored_along_z = false;
  /// The field whose own cell a field becomes in stage 0, or -1.
  int copy_of[field_limits::fields] = {-1, -1, -1, -1};
  plane_reach reaches[most_stages][field_limits::arrays] = {};
  /// Cells of a plane to the farthest one that a stage reads, along x and y.
  int across[most_stages] = {}, down[most_stages] = {};

  constexpr int arrays() const { return fields + coefficients; }

  /// Once what is above is there. Taps: of field_tap.
  template <class Taps>
  constexpr void set_taps(int stage, const Taps& taps) {
    for (const field_tap& t : taps) {
      across[stage] = std::max(across[stage], t.dx < 0 ? -t.dx : t.dx);
      down[stage] = std::max(down[stage], t.dy < 0 ? -t.dy : t.dy);
    }
    for (int array = 0; array < arrays(); ++array) reaches[stage][array] = reach_in(taps, array);
  }
  constexpr const plane_reach& reach(int stage, int array) const { return reaches[stage][array]; }
  /// Field `field` is the value that another, computed one had a step before, read in its own cell
  /// only: it comes as late as it is read, and between steps it is what is kept of the other one.
  constexpr bool is_renamed(int field) const {
    if (stages != 1 || field >= fields) return false;
    const int from = copy_of[field];
    if (from < 0 || from == field || copy_of[from] >= 0) return false;
    const plane_reach& r = reach(0, field);
    return !r.wide && r.newest() == 0 && r.oldest() == 0 && lag(0) <= reach(0, from).back;
  }
  /// Planes by which the one that a stage makes is behind the one that arrives.
  constexpr int lag(int stage) const {
    int n = 0;
    for (int a = 0; a < arrays(); ++a) n = std::max(n, reach(stage, a).newest());
    return n;
  }
  constexpr int step_lag() const {
    int n = 0;
    for (int s = 0; s < stages; ++s) n += lag(s);
    return n;
  }
  /// Planes, columns and rows that a step loses on a side.
  constexpr int step_planes() const {
    int n = 0;
    for (int s = 0; s < stages; ++s) {
      int oldest = 0;
      for (int a = 0; a < arrays(); ++a) oldest = std::min(oldest, reach(s, a).oldest());
      n -= oldest;
    }
    return n;
  }
  constexpr int step_columns() const { return sum(across); }
  constexpr int step_rows() const { return sum(down); }

 private:
  constexpr int sum(const int (&of)[most_stages]) const {
    int n = 0;
    for (int s = 0; s < stages; ++s) n += of[s];
    return n;
  }
  template <class Taps>
  constexpr plane_reach reach_in(const Taps& taps, int array) const {
    plane_reach r;
    for (const field_tap& t : taps) {
      if (t.array != array) continue;
      r.read = true;
      if (t.dy == 0 && t.dx == 0) {
        r.back = std::max(r.back, -t.dz);
        r.ahead = std::max(r.ahead, t.dz);
      } else {
        r.wide_first = r.wide ? std::min(r.wide_first, t.dz) : t.dz;
        r.wide_last = r.wide ? std::max(r.wide_last, t.dz) : t.dz;
        r.wide = true;
      }
    }
    if (!is_mirrored_along_z) return r;
    // What lies beyond a border is found as far on the other side of the cell, or nearer.
    r.back = r.ahead = std::max(r.back, r.ahead);
    r.wide_last = std::max(std::max(r.wide_last, -r.wide_first), 0);
    r.wide_first = -r.wide_last;
    return r;
  }
};

/// Sizes of a kernel of a pass, for values of so many bytes.
struct columns_numbers {
  columns_shape shape;
  columns_config config;
  int value_bytes;

  constexpr int lanes() const { return config.across * config.groups; }
  constexpr int width() const { return config.across; }  ///< cells of a tile along x
  constexpr int height() const { return config.groups * config.rows; }
  constexpr int plane_values() const { return width() * height(); }
  constexpr int halo_x() const { return config.steps * shape.step_columns(); }
  constexpr int halo_y() const { return config.steps * shape.step_rows(); }
  constexpr int halo_z() const { return config.steps * shape.step_planes(); }
  constexpr int own_x() const { return width() - 2 * halo_x(); }
  constexpr int own_y() const { return height() - 2 * halo_y(); }

  /// Stages, counted over the steps.
  constexpr int substages() const { return config.steps * shape.stages; }
  constexpr int lag(int substage) const { return shape.lag(substage % shape.stages); }
  constexpr const plane_reach& reach(int substage, int array) const {
    return shape.reach(substage % shape.stages, array);
  }
  /// Planes by which what a stage makes is behind the plane of the fields that comes in.
  constexpr int behind(int substage) const {
    return substage / shape.stages * shape.step_lag() + lag_within(substage % shape.stages);
  }
  constexpr int all_behind() const { return config.steps * shape.step_lag(); }

  /// The age of the first plane of a field whose cells a lane keeps, for a stage: younger ones are
  /// in scratch, and the one behind the one that arrives has age 1. And how many it keeps.
  constexpr int kept_age(int substage, int field) const {
    return std::max(1, ring(substage, field));
  }
  constexpr int kept(int substage, int field) const {
    if (shape.is_renamed(field)) return 0;
    const int oldest = lag(substage) + reach(substage, field).back;
    return std::max(0, oldest + 1 - kept_age(substage, field));
  }
  /// The first of them among all that a lane keeps.
  constexpr int kept_first(int substage, int field) const {
    int n = 0;
    for (int q = 0; q < substage; ++q)
      for (int f = 0; f < shape.fields; ++f) n += kept(q, f);
    for (int f = 0; f < field; ++f) n += kept(substage, f);
    return n;
  }
  constexpr int all_kept() const { return kept_first(substages(), 0); }
  /// After so many ticks, few, the kept planes have the places that they had.
  constexpr int turn() const {
    constexpr int most = 4;
    int n = 1;
    for (int q = 0; q < shape.stages; ++q)
      for (int f = 0; f < shape.fields; ++f) {
        const int count = kept(q, f);
        int m = n;
        while (count > 0 && m % count != 0) m += n;
        if (m <= most) n = m;
      }
    return n;
  }

  /// Planes of an array come so much later than those of the first fields.
  constexpr int late(int array) const {
    if (array < shape.fields) return shape.is_renamed(array) ? shape.lag(0) : 0;
    int n = all_behind(), seen = 0;
    for (int q = 0; q < shape.stages; ++q) {
      const plane_reach& r = reach(q, array);
      if (!r.read) continue;
      n = seen ? std::min(n, behind(q) - r.newest()) : behind(q) - r.newest();
      seen = 1;
    }
    return n;
  }
  /// Planes of a ring in scratch: of a field for a stage, of a coefficient for all (substage 0).
  constexpr int ring(int substage, int array) const {
    if (array < shape.fields) {
      const plane_reach& r = reach(substage, array);
      return r.wide ? lag(substage) - r.wide_first + 1 : 0;
    }
    int n = 0;
    for (int q = 0; q < substages() && substage == 0; ++q)
      if (reach(q, array).read)
        n = std::max(n, behind(q) - reach(q, array).oldest() - late(array) + 1);
    return n;
  }
  /// Whether an array comes in: coefficients that are read.
  constexpr bool arrives(int array) const { return array < shape.fields || ring(0, array) > 0; }
  /// The first plane of a ring among all planes in scratch.
  constexpr int ring_first(int substage, int array) const {
    int n = 0;
    for (int q = 0; q < substage; ++q)
      for (int a = 0; a < shape.arrays(); ++a) n += ring(q, a);
    for (int a = 0; a < array; ++a) n += ring(substage, a);
    return n;
  }
  constexpr int planes() const { return ring_first(substages(), 0); }
  /// Values before and behind all planes, which lanes at a tile's rim read and do not use.
  constexpr int guard() const {
    int n = 0;
    for (int s = 0; s < shape.stages; ++s)
      n = std::max(n, shape.down[s] * width() + shape.across[s]);
    return n;
  }
  constexpr std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(value_bytes) *
           (static_cast<std::size_t>(planes()) * plane_values() + 2 * guard());
  }
  /// Whether there is such a kernel.
  constexpr bool valid() const { return own_x() > 0 && own_y() > 0 && lanes() <= 1024; }

 private:
  constexpr int lag_within(int stage) const {
    int n = 0;
    for (int s = 0; s <= stage; ++s) n += shape.lag(s);
    return n;
  }
};

}  // namespace dwell
