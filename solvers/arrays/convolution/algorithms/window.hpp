// SPDX-License-Identifier: MIT
// Sums that stay in their lane: for each tap column a lane loads the cells below one another and
// adds them to the sums of its rows, a window that slides down. What lies beside it, it loads
// itself. `window` reads the image where it lies; `shared` reads copies in memory of the warp's
// own, the usual way before Chen et al. 2019.
#pragma once
#include "dwell/base/cell_piece.hpp"
#include "dwell/solvers/arrays/convolution/footprint.hpp"

namespace dwell {

/// Copies: of every tile.
template <bool Copies>
struct windowed_convolution {
  static constexpr const char* name = Copies ? "shared" : "window";
  using on_cpu = windowed_convolution;
  using on_cuda = windowed_convolution;
  static constexpr int groups = 1;
  static constexpr bool whole_pieces = false;
  /// Tap rows are taken by `chunk`; an instance for each number that is left over.
  static constexpr int chunk = 4;
  static constexpr int instances = chunk;
  static constexpr int instance_of(int tap_rows) { return tap_rows % chunk; }
  static constexpr int rows = 4;  ///< rows of a tile

  static constexpr int warps_of(int) { return 32; }
  template <class Warp, class Pass>
  static DWELL_HD tile_grid tiles(const Pass& a) {
    return tiles_of(a, rows, Warp::columns);
  }
  template <class Warp, class Pass>
  static DWELL_HD std::size_t scratch(const Pass& a) {
    return copy_size(rows + a.filter.y - 1, Warp::columns + a.filter.x - 1);
  }

  template <int Instance, class Warp, class Pass, class Weights>
  static DWELL_FN void compute(Warp& warp, const Pass& a, const convolution_tile& at,
                               typename Pass::cell* scratch, Weights&& weights) {
    const tile_footprint f = {at.y - a.before_y, at.x - a.before_x, rows + a.filter.y - 1,
                              Warp::columns + a.filter.x - 1};
    for (int k = 0; k < a.filter.z; ++k) {
      const auto* const plane = plane_for(a, at, k);
      const footprint_cells<typename Pass::cell> cells =
          Copies ? copy_footprint(warp, a, plane, f, scratch)
                 : cells_for(warp, a, plane, f, scratch);
      if (k == 0) weights();
      typename Warp::row sums[rows];
      warp.each([&](int g) {
        typename Warp::group s[rows];
        sum_columns<Instance, Warp>(
            footprint_cells<typename Pass::cell>{cells.first + Warp::column(g), cells.next_row},
            tap_plane(a, k), a.filter, s);
        unrolled<0, rows>([&](auto p) { sums[p][g] = s[p]; });
      });
      unrolled<0, rows>([&](auto p) { store_row(warp, a, at, {p, k, 0, Warp::columns}, sums[p]); });
    }
  }

 private:
  /// The chains of one plane of taps.
  template <int Left, class Warp, class Cell, class T>
  static DWELL_FN void sum_columns(const footprint_cells<Cell>& cells, const T* taps,
                                   const extents& filter, typename Warp::group* sums) {
    unrolled<0, rows>([&](auto p) { sums[p] = Warp::group::all(T(0)); });
    const int pitch = column_pitch(filter.y);
    for (int m = 0; m < filter.x; ++m) {
      footprint_cells<Cell> at = {cells.first + m, cells.next_row};
      const T* w = taps + m * pitch;
      for (int n = 0; n + chunk <= filter.y; n += chunk) {
        add_rows<chunk, Warp>(at, w, sums);
        at.first += chunk * at.next_row;
        w += chunk;
      }
      add_rows<Left, Warp>(at, w, sums);
    }
  }
  /// So many taps below one another: each cell is loaded once, for all rows that it counts for.
  template <int Taps, class Warp, class Cell, class T>
  static DWELL_FN void add_rows(const footprint_cells<Cell>& at, const T* w,
                                typename Warp::group* sums) {
    using group = typename Warp::group;
    if constexpr (Taps > 0)
      unrolled<0, Taps + rows - 1>([&](auto c) {
        const group cell = group::load(at.first + c * at.next_row);
        unrolled<(c < Taps ? 0 : c - Taps + 1), (c < rows ? c + 1 : rows)>(
            [&](auto p) { sums[p] = group::multiply_add(cell, w[c - p], sums[p]); });
      });
  }
};

using window_convolution = windowed_convolution<false>;
using shared_convolution = windowed_convolution<true>;

}  // namespace dwell
