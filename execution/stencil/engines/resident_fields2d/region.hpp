// SPDX-License-Identifier: MIT
// Which cells of the grid a team of engine resident_fields2d and each of its lanes has.
#pragma once
#include <cstdint>

#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/engines/resident_fields2d/args.hpp"
#include "dwell/execution/stencil/engines/resident_fields2d/sizes.hpp"
#include "dwell/execution/stencil/partition/grid.hpp"

namespace dwell {

/// A team's cells along one axis of the grid.
struct resident_span {
  int n;            ///< cells of the axis
  bool periodic;    ///< it goes around
  int first, last;  ///< the team's own cells, from first to before last
  int halo;         ///< cells beyond them on either side that its steps read

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
  /// Others need one of them.
  DWELL_FN bool any_shown(int i, int cells) const {
    return any_own(i, cells) && (i < first + halo || i + cells > last - halo);
  }
  DWELL_FN bool is_own(int i) const { return i >= first && i < last; }
  DWELL_FN bool all_inside(int i, int cells) const { return i >= 0 && i + cells <= n; }
  /// One of them is so close to an end of the axis, or beyond it.
  DWELL_FN bool any_near_end(int i, int cells, int margin) const {
    return !periodic && (i < margin || i + cells > n - margin);
  }
};

/// Both axes, and the teams around one.
template <class S, class T, resident_config C>
class resident_region {
  using sizes = resident_sizes<S, T, C>;
  static constexpr int unit = sizes::unit;

 public:
  DWELL_FN resident_region(const resident_run<T>& a, int team)
      : tile_x_(team % a.tiles_x),
        tile_y_(team / a.tiles_x),
        x{a.nx, goes_around<S, 1>, first_column(a, tile_x_), first_column(a, tile_x_ + 1),
          (a.depth * sizes::step_columns + unit - 1) / unit * unit},
        y{a.ny, goes_around<S, 0>, cut(a.ny, tile_y_, a.tiles_y), cut(a.ny, tile_y_ + 1, a.tiles_y),
          a.depth * sizes::step_rows} {}

  /// Team k of the eight around this one, or -1.
  DWELL_FN int neighbour(const resident_run<T>& a, int k) const {
    const int nth = k < 4 ? k : k + 1;
    int i = tile_x_ + nth % 3 - 1, j = tile_y_ + nth / 3 - 1;
    if (x.periodic) i = (i + a.tiles_x) % a.tiles_x;
    if (y.periodic) j = (j + a.tiles_y) % a.tiles_y;
    return within(i, a.tiles_x) && within(j, a.tiles_y) ? j * a.tiles_x + i : -1;
  }
  /// The cell keeps its values.
  DWELL_FN static bool is_fixed(const resident_run<T>& a, int row, int column) {
    return (sizes::is_fixed(0, 0) && row < S::radius) ||
           (sizes::is_fixed(0, 1) && row >= a.ny - S::radius) ||
           (sizes::is_fixed(1, 0) && column < S::radius) ||
           (sizes::is_fixed(1, 1) && column >= a.nx - S::radius);
  }

 private:
  DWELL_FN static int first_column(const resident_run<T>& a, int tile) {
    const int first = cut((a.nx + unit - 1) / unit, tile, a.tiles_x) * unit;
    return first < a.nx ? first : a.nx;
  }

  int tile_x_, tile_y_;

 public:
  resident_span x, y;
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
