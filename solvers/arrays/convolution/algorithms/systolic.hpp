// SPDX-License-Identifier: MIT
// A warp as a systolic array (Chen et al. 2019, section 4): the cells of a tile lie in registers,
// C = N + P - 1 rows of them, N tap rows and P rows of sums. Every column adds a tap column to its
// sums, then the sums move one column on; after M tap columns they are whole. Tiles overlap by the
// columns that sums come from, and no lane reads what another one holds but its sums. Where a lane
// has several columns, only one in as many moves is a shuffle; in the document every one is.
#pragma once
#include "dwell/base/cell_piece.hpp"
#include "dwell/solvers/arrays/convolution/footprint.hpp"

namespace dwell {

/// How a tile lies over the columns of a warp: column 0 reads the cell `before` columns left of the
/// tile, and the sums of the tile's `columns` columns end in column `first` and on.
struct systolic_columns {
  int before, first, moves_on, columns;
};

/// `piece`: what a lane loads and stores together begins at multiples of so many columns. For that
/// the cells begin up to piece - 1 columns earlier, and sums move `moves_on` columns on at the end.
DWELL_HD systolic_columns columns_of(int warp_columns, int piece, int taps, int before) {
  const int early = (before + piece - 1) / piece * piece;
  const int ends = early - before + taps - 1;
  const int first = (ends + piece - 1) / piece * piece;
  return {early, first, first - ends, (warp_columns - first) / piece * piece};
}

/// Heights: the numbers of tap rows that there are kernels for, ascending; a filter runs in the
/// first one that it fits. P is `Few` where there are up to nine, and else `Many`.
template <int Few, int Many, int... Heights>
struct systolic_kernels {
  static constexpr const char* name = "systolic";
  static constexpr int groups = 8;
  static constexpr bool whole_pieces = true;
  static constexpr int heights[] = {Heights...};
  static constexpr int instances = sizeof...(Heights);
  static constexpr int instance_of(int tap_rows) {
    int k = 0;
    while (heights[k] < tap_rows) ++k;
    return k;
  }
  /// P of a kernel.
  static constexpr int rows_of(int instance) { return heights[instance] <= 9 ? Few : Many; }
  /// And C.
  static constexpr int cells_of(int instance) { return heights[instance] + rows_of(instance) - 1; }
  /// Tiles at the border take their cells one by one from the image, or, where so many registers
  /// leave no room for that, from a copy.
  static constexpr bool copies_edges(int instance) { return heights[instance] > 25; }

  /// Warps that a multiprocessor of a GPU is to hold: so many registers may each lane have.
  static constexpr int warps_of(int instance) {
    return heights[instance] <= 5 ? 16 : heights[instance] <= 9 ? 12 : 8;
  }

  template <class Warp, class Pass>
  static DWELL_HD tile_grid tiles(const Pass& a) {
    return tiles_of(a, a.filter.y <= 9 && heights[0] <= 9 ? Few : Many,
                    columns_of<Warp>(a).columns);
  }
  template <class Warp, class Pass>
  static DWELL_HD std::size_t scratch(const Pass& a) {
    return copies_edges(instance_of(a.filter.y)) ? copy_size(Many + a.filter.y - 1, Warp::columns)
                                                 : 0;
  }

  template <int Instance, class Warp, class Pass, class Weights>
  static DWELL_FN void compute(Warp& warp, const Pass& a, const convolution_tile& at,
                               typename Pass::cell* scratch, Weights&& weights) {
    using row = typename Warp::row;
    constexpr int P = rows_of(Instance), C = cells_of(Instance);
    const systolic_columns lie = columns_of<Warp>(a);
    const tile_footprint f = {at.y - a.before_y, at.x - lie.before, a.filter.y + P - 1,
                              Warp::columns};
    row cells[C], sums[P];
    for (int k = 0; k < a.filter.z; ++k) {
      load_cells<Instance>(warp, a, plane_for(a, at, k), f, scratch, cells);
      if (k == 0) weights();
      const auto* taps = tap_plane(a, k);
      unrolled<0, P>([&](auto p) { warp.each([&](int g) { sums[p][g] = Warp::group::all(0); }); });
#pragma unroll 1
      for (int m = 0; m < a.filter.x; ++m, taps += column_pitch(a.filter.y)) {
        if (m > 0) move<P>(sums);
        add_taps<Instance>(warp, a.filter.y, taps, cells, sums);
      }
#pragma unroll 1
      for (int m = 0; m < lie.moves_on; ++m) move<P>(sums);
      unrolled<0, P>([&](auto p) {
        store_row(warp, a, at, {p, k, lie.first, lie.columns}, sums[p]);
      });
    }
  }

 private:
  template <class Warp, class Pass>
  static DWELL_HD systolic_columns columns_of(const Pass& a) {
    return dwell::columns_of(Warp::columns, Warp::piece, a.filter.x, a.before_x);
  }

  /// The register cache: of the rows that this kernel has, those that the filter reads.
  template <int Instance, class Pass, class Warp>
  static DWELL_FN void load_cells(Warp& warp, const Pass& a, const typename Pass::cell* plane,
                                  const tile_footprint& f, typename Pass::cell* scratch,
                                  typename Warp::row* cells) {
    using group = typename Warp::group;
    using cell = typename Pass::cell;
    constexpr int C = cells_of(Instance);
    if constexpr (!copies_edges(Instance))
      if (!plane || !is_inside(a, f)) return load_edge_cells<C>(warp, a, plane, f, cells);
    const footprint_cells<cell> from = cells_for(warp, a, plane, f, scratch);
    const auto load = [&](auto&& group_at) {
      Warp::template each_register<C>([&](auto c) {
        if (c < f.rows)
          warp.each([&](int g) {
            cells[c][g] = group_at(from.first + c * from.next_row + Warp::column(g));
          });
      });
    };
    if (Warp::in_pieces(from.first, from.next_row))
      load([](const cell* p) { return group::load_piece(p); });
    else
      load([](const cell* p) { return group::load(p); });
  }

  template <int P, class Row>
  static DWELL_FN void move(Row* sums) {
    unrolled<0, P>([&](auto p) { sums[p].shift(); });
  }

  /// A column of taps, to the sums of all columns of the warp.
  template <int Instance, class T, class Warp>
  static DWELL_FN void add_taps(Warp& warp, int tap_rows, const T* taps, typename Warp::row* cells,
                                typename Warp::row* sums) {
    using group = typename Warp::group;
    constexpr int N = heights[Instance], P = rows_of(Instance);
    constexpr int always =
        Instance == 0 ? 0 : heights[Instance - 1];  // any filter that runs here has more
    warp.each([&](int g) {
      group s[P];
      unrolled<0, P>([&](auto p) { s[p] = sums[p][g]; });
      Warp::template each_register<N>([&](auto n) {
        if (n <= always || n < tap_rows)
          unrolled<0, P>(
              [&](auto p) { s[p] = group::multiply_add(cells[n + p][g], taps[n], s[p]); });
      });
      unrolled<0, P>([&](auto p) { sums[p][g] = s[p]; });
    });
  }
};

struct systolic_convolution {
  static constexpr const char* name = "systolic";
  /// Rows of cells are memory: one kernel does for all.
  using on_cpu = systolic_kernels<4, 4, most_taps>;
  /// Rows of cells are registers: few of them leave room for more sums, which make more of each.
  using on_cuda = systolic_kernels<8, 4, 1, 2, 3, 4, 5, 7, 9, 12, 16, 20, 25, most_taps>;
};

}  // namespace dwell
