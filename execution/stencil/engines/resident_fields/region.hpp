// SPDX-License-Identifier: MIT
// Which cells of the grid a team of engine resident_fields and each of its lanes has.
#pragma once
#include <cstdint>

#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/engines/resident_fields/args.hpp"
#include "dwell/execution/stencil/engines/resident_fields/sizes.hpp"
#include "dwell/execution/stencil/partition/grid.hpp"

namespace dwell {

/// A team's cells along one axis of the grid.
struct resident_span {
  int n;            ///< cells of the axis
  bool periodic;    ///< it goes around
  int first, last;  ///< the team's own cells, from first to before last
  int halo;         ///< cells beyond them on either side that its steps read

  /// Those of tile `tile` of so many, which are whole units.
  DWELL_FN static resident_span of(int n, bool periodic, int unit, int tile, int tiles, int halo) {
    const int units = (n + unit - 1) / unit;
    const int last = cut(units, tile + 1, tiles) * unit;
    return {n, periodic, cut(units, tile, tiles) * unit, last < n ? last : n, halo};
  }
  /// Where the region begins.
  DWELL_FN int begin() const { return first - halo; }
  /// The cell whose value stands for cell i, which is at most a halo beyond an end of the axis, in
  /// memory: itself where there is such a cell.
  DWELL_FN int in_memory(int i) const {
    if (periodic) return i < 0 ? i + n : i < n ? i : i - n;
    return i < 0 ? 0 : i < n ? i : n - 1;
  }
  // Questions about `cells` cells from i on:
  DWELL_FN bool any_needed(int i, int cells) const {
    return i < last + halo && i + cells > first - halo;
  }
  DWELL_FN bool all_own(int i, int cells) const { return i >= first && i + cells <= last; }
  DWELL_FN bool any_own(int i, int cells) const { return i < last && i + cells > first; }
  /// Others need one of them, if it is the team's own.
  DWELL_FN bool any_shown(int i, int cells) const {
    return i < first + halo || i + cells > last - halo;
  }
  DWELL_FN bool is_own(int i) const { return i >= first && i < last; }
  DWELL_FN bool all_inside(int i, int cells) const { return i >= 0 && i + cells <= n; }
  /// One of them is so close to an end of the axis, or beyond it.
  DWELL_FN bool any_near_end(int i, int cells, int margin) const {
    return !periodic && (i < margin || i + cells > n - margin);
  }
};

/// A cell of the grid.
struct resident_place {
  int z, y, x;
};

/// All axes, and the teams around one.
template <class S, class T, resident_config C>
class resident_region {
  using sizes = resident_sizes<S, T, C>;

 public:
  /// Teams around one: those with a corner in common, too.
  static constexpr int neighbours = sizes::flat ? 8 : 26;

  DWELL_FN resident_region(const resident_run<T>& a, int team)
      : tile_x_(team % a.tiles[1]),
        tile_y_(sizes::flat ? team / a.tiles[1] : team / a.tiles[1] % a.tiles[0]),
        tile_z_(sizes::flat ? 0 : team / a.tiles[1] / a.tiles[0]),
        x{span<1>(a, tile_x_)},
        y{span<0>(a, tile_y_)},
        z{span<2>(a, tile_z_)} {}

  /// Team k of those around this one, or -1.
  DWELL_FN int neighbour(const resident_run<T>& a, int k) const {
    const int nth = k < neighbours / 2 ? k : k + 1;
    int i = tile_x_ + nth % 3 - 1, j = tile_y_ + nth / 3 % 3 - 1;
    if (x.periodic) i = (i + a.tiles[1]) % a.tiles[1];
    if (y.periodic) j = (j + a.tiles[0]) % a.tiles[0];
    if (!within(i, a.tiles[1]) || !within(j, a.tiles[0])) return -1;
    if constexpr (sizes::flat) return j * a.tiles[1] + i;
    int l = tile_z_ + nth / 9 - 1;
    if (z.periodic) l = (l + a.tiles[2]) % a.tiles[2];
    return within(l, a.tiles[2]) ? (l * a.tiles[0] + j) * a.tiles[1] + i : -1;
  }
  /// f(axis, its first cell, its cells) of a lane's box is true of all axes, or of one.
  template <class F>
  DWELL_FN bool all(const resident_place& at, F&& f) const {
    return f(y, at.y, C.rows) && f(x, at.x, C.across) && (sizes::flat || f(z, at.z, C.deep));
  }
  template <class F>
  DWELL_FN bool any(const resident_place& at, F&& f) const {
    return f(y, at.y, C.rows) || f(x, at.x, C.across) || (!sizes::flat && f(z, at.z, C.deep));
  }
  /// Some cells of a box are so close to a border, or beyond it, that they keep their values, have
  /// none or lend them to cells beyond.
  DWELL_FN bool near_border(const resident_place& at, int planes, int rows, int columns) const {
    return near_border_along<0>(at.y, rows) || near_border_along<1>(at.x, columns) ||
           near_border_along<2>(at.z, planes);
  }
  /// The cell keeps its values.
  DWELL_FN static bool is_fixed(const resident_run<T>& a, const resident_place& at) {
    return is_fixed_along<0>(a, at.y) || is_fixed_along<1>(a, at.x) || is_fixed_along<2>(a, at.z);
  }
  template <int Axis>
  DWELL_FN const resident_span& along() const {
    if constexpr (Axis == 0)
      return y;
    else if constexpr (Axis == 1)
      return x;
    else
      return z;
  }

 private:
  template <int Axis>
  DWELL_FN static resident_span span(const resident_run<T>& a, int tile) {
    constexpr int unit = Axis == 1 ? sizes::unit : 1;
    return resident_span::of(a.n[Axis], sizes::template around<Axis>, unit, tile, a.tiles[Axis],
                             (a.depth * sizes::template step_along<Axis> + unit - 1) / unit * unit);
  }
  template <int Axis>
  DWELL_FN bool near_border_along(int i, int cells) const {
    return sizes::template has_border<Axis> && along<Axis>().any_near_end(i, cells, S::radius + 1);
  }
  template <int Axis>
  DWELL_FN static bool is_fixed_along(const resident_run<T>& a, int i) {
    return (sizes::is_fixed(Axis, 0) && i < S::radius) ||
           (sizes::is_fixed(Axis, 1) && i >= a.n[Axis] - S::radius);
  }

  int tile_x_, tile_y_, tile_z_;

 public:
  resident_span x, y, z;
};

/// What a lane remembers of its cells.
struct resident_lane {
  int at;               ///< its first cell in the first array of scratch
  std::uint64_t fixed;  ///< a bit for each that keeps its values
  bool used;            ///< it has cells
  bool inside;          ///< all of them are in the grid
  bool edge;            ///< some are beyond a border, or those beyond are found among them
  bool halo;            ///< some are other teams' or beyond a border
  bool shown;           ///< some are others' halo, or a halo is beside them
};

}  // namespace dwell
