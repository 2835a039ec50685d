// SPDX-License-Identifier: MIT
// One pass of a filter over images, as its kernels are given it, and the tiles that it is cut into.
//
// The order of operations is part of the description, so that every algorithm of computing a pass
// gives the same bits on every backend. A plane of the filter is a chain of fused multiply-adds
// that begins at zero, column after column from the left, each from its upper end down; the chains
// of the planes are added from the first to the last. A cell beyond the border that counts as zero
// is multiplied as others are. Cells of images that are narrower than sums are widened when they
// are loaded, which is exact, and sums are rounded to such cells when they are stored, if at all:
// the bits are those of wide images, rounded at the end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dwell/arrays/border_cell.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/base/half.hpp"
#include "dwell/formats/extents.hpp"

namespace dwell {

/// The most taps of a filter along an axis.
inline constexpr int most_taps = 31;

/// Weights of a column lie together, and begin at multiples of 16 bytes.
DWELL_HD int column_pitch(int rows) { return (rows + 3) / 4 * 4; }

/// out = filter over in. Tap (k, n, m) is multiplied by the cell that lies (k - before_z, n -
/// before_y, m - before_x) from the one that is computed. Cell: of `in`; Sum: what is computed in,
/// double of double and else float; Rounded: Sum, or what sums are rounded to.
template <class Cell, class Sum = Cell, class Rounded = Sum>
struct convolution_pass {
  using cell = Cell;
  using sum = Sum;
  static constexpr bool rounds = !std::is_same_v<Rounded, Sum>;  ///< or may round

  const Cell* in = nullptr;  ///< `images` of them one after the other, in C order
  /// Likewise; no cell of it is one of `in`. Null if all goes to `rounded` and the filter has one
  /// plane: the sums of all planes but the last lie here.
  Sum* out = nullptr;
  Rounded* rounded = nullptr;  ///< where `rounds`: not null, the outcome goes here
  extents size;                ///< size of an image
  std::int64_t images = 1;
  extents filter;
  int before_z = 0, before_y = 0, before_x = 0;
  border edge = border::zero;
  const Sum* weights = nullptr;  ///< column after column of a plane, column_pitch(filter.y) apart

  DWELL_HD std::size_t weight_count() const {
    return static_cast<std::size_t>(filter.z) * static_cast<std::size_t>(filter.x) *
           static_cast<std::size_t>(column_pitch(filter.y));
  }
  DWELL_HD std::int64_t planes() const { return images * size.z; }
  DWELL_HD std::int64_t plane_cells() const { return static_cast<std::int64_t>(size.y) * size.x; }
};

/// All kinds that there are kernels for: of images alone, and of passes behind another one that
/// round.
template <template <class...> class List>
using convolution_passes_of =
    List<convolution_pass<double>, convolution_pass<float>,
         convolution_pass<std::uint8_t, float, std::uint8_t>,
         convolution_pass<float, float, std::uint8_t>, convolution_pass<half, float, half>,
         convolution_pass<float, float, half>>;

/// The kinds of passes of a convolution from cells of In to cells of Out.
template <class In, class Out>
struct convolution_types {
  using sum = std::conditional_t<std::is_same_v<In, double>, double, float>;
  using first = std::conditional_t<std::is_same_v<In, sum>, convolution_pass<sum>,
                                   convolution_pass<In, sum, In>>;  ///< it may be the last, too
  using middle = convolution_pass<sum>;
  using last = convolution_pass<sum, sum, Out>;  ///< behind another one

  /// f.operator()<kind of pass k of so many>().
  template <class F>
  static void with_kind(std::size_t k, std::size_t passes, F&& f) {
    if (k == 0) return f.template operator()<first>();
    if (k + 1 == passes) return f.template operator()<last>();
    f.template operator()<middle>();
  }
};

/// Where the cells lie that a warp computes together: rows y to y + rows - 1, columns x to x +
/// columns - 1 of a plane of an image, as far as there are such rows and columns.
struct convolution_tile {
  std::int64_t image = 0;
  int z = 0, y = 0, x = 0;
};

/// The tiles of a pass: bands of so many rows, cut into so many columns.
struct tile_grid {
  int rows = 1, columns = 1;  ///< size of a tile
  int bands = 1, across = 1;  ///< tiles of a plane
};

/// Tiles of this size.
template <class Pass>
DWELL_HD tile_grid tiles_of(const Pass& a, int rows, int columns) {
  return {rows, columns, (a.size.y - 1) / rows + 1, (a.size.x - 1) / columns + 1};
}

/// The plane that tap plane k reads for the tile; null: zeros.
template <class Pass>
DWELL_FN const typename Pass::cell* plane_for(const Pass& a, const convolution_tile& at, int k) {
  const int z = cell_for(a.edge, at.z + k - a.before_z, a.size.z);
  return z < 0 ? nullptr : a.in + (at.image * a.size.z + z) * a.plane_cells();
}

/// Row y of a plane, wherever that is; null: zeros.
template <class Pass, class Cell>
DWELL_FN const Cell* row_for(const Pass& a, const Cell* plane, int y) {
  const int row = cell_for(a.edge, y, a.size.y);
  return !plane || row < 0 ? nullptr : plane + static_cast<std::int64_t>(row) * a.size.x;
}

/// Cell x of a row of row_for().
template <class Pass, class Cell>
DWELL_FN Cell cell_of(const Pass& a, const Cell* row, int x) {
  const int column = cell_for(a.edge, x, a.size.x);
  return !row || column < 0 ? Cell() : row[column];
}

/// Tap plane k.
template <class Pass>
DWELL_FN const typename Pass::sum* tap_plane(const Pass& a, int k) {
  return a.weights + static_cast<std::ptrdiff_t>(k) * a.filter.x * column_pitch(a.filter.y);
}

/// Which sums a warp stores: those of row `row` of its tile and of tap plane `plane`; the sum of
/// the tile's column 0 is in column `first` of the warp, and the tile has so many columns.
struct stored_sums {
  int row, plane, first, columns;
};

/// The sums of a tap plane to where they belong; those of a later one are added.
template <class Pass, class Warp>
DWELL_FN void store_row(Warp& warp, const Pass& a, const convolution_tile& at,
                        const stored_sums& which, typename Warp::row& sums) {
  using group = typename Warp::group;
  using T = typename Pass::sum;
  if (at.y + which.row >= a.size.y) return;
  const std::int64_t row = (at.image * a.size.z + at.z) * a.plane_cells() +
                           static_cast<std::int64_t>(at.y + which.row) * a.size.x;
  T* const out = Pass::rounds && !a.out ? nullptr : a.out + row;
  const int end = at.x + which.columns < a.size.x ? at.x + which.columns : a.size.x;
  warp.each([&](int g) {
    const int x = at.x + Warp::column(g) - which.first;  // column of the group's first element
    const int from = x < at.x ? at.x - x : 0, to = end - x < group::size ? end - x : group::size;
    if (from >= to) return;
    if constexpr (Pass::rounds)
      if (a.rounded && which.plane + 1 == a.filter.z) {
        const group all =
            which.plane == 0 ? sums[g] : group::of([&](int i) {
                                           return from <= i && i < to ? out[x + i] : T(0);
                                         }) + sums[g];
        auto* const rounded = a.rounded + row;
        if (from == 0 && to == group::size && Warp::in_pieces(rounded + x, 0))
          all.store(rounded + x);
        else
          all.store_some(rounded + x, from, to);
        return;
      }
    if (from == 0 && to == group::size && Warp::in_pieces(out + x, 0))
      (which.plane == 0 ? sums[g] : group::load_piece(out + x) + sums[g]).store(out + x);
    else
      (which.plane == 0 ? sums[g] : group::of([&](int i) {
                                      return from <= i && i < to ? out[x + i] : T(0);
                                    }) + sums[g])
          .store_some(out + x, from, to);
  });
}

}  // namespace dwell
