// SPDX-License-Identifier: MIT
// The halo, in scratch, of one plane of a fully cached block: R rows above and R below, then pairs
// of columns to the left and to the right, which go R rows beyond the block, so that box shapes
// find the corners there. Some lanes fetch a piece of it each: as many cells as a lane has of a
// row.
#pragma once
#include "dwell/execution/stencil/engines/block3d/sizes.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"
#include "dwell/execution/stencil/partition/blocks3d.hpp"

namespace dwell {

template <class S, class T>
struct block_halo {
  static constexpr int R = radius_of<S>, across = perks_across<S>, height = block_height;
  static constexpr int corner = is_star<S> ? 0 : R, line = height + 2 * R;
  static constexpr int width = 32 * across, sides = 2 * R * width, values = block_halo_values<S>;
  static_assert(R <= across && values == sides + 2 * line * across);
  static_assert(2 * R * 32 + 2 * (height + 2 * corner) <= perks_lanes, "one piece of a lane");

  struct alignas(across * sizeof(T)) piece {
    T v[across];
  };
  /// Where a lane's piece goes (negative: it has none), and where it lies, counted from one piece
  /// before a plane of the field: beside a fixed border it may begin a cell before the plane.
  struct place {
    int to;
    unsigned from;
  };
  /// The cells that are divided among blocks consist of whole pieces.
  DWELL_FN static place place_of(const stencil_args<T>& a, const block_subdomain<T>& own, int l) {
    const int pieces = own.nx / across, rows = 2 * R * pieces, down = own.ny + 2 * corner;
    int y = 0, x = 0, to = -1;
    if (l < rows) {
      const int row = l / pieces;
      x = l % pieces * across;
      y = row < R ? row - R : own.ny + row - R;
      to = row * width + x;
    } else if (l < rows + 2 * down) {
      const int side = (l - rows) / down;
      y = (l - rows) % down - corner;
      x = side == 0 ? -across : own.nx;
      to = sides + (side * line + y + R) * across;
    }
    y = block_subdomain<T>::place(a.edge, own.y0 + y, a.size.y);
    x = own.x0 + x;
    // Before and behind the rows of a field with a fixed border a piece may have cells that never
    // count: of the next row, or of the margin (stencil/launch/run.hpp).
    if (a.edge == boundary::periodic) x = (x + a.size.x) % a.size.x;
    return {to, static_cast<unsigned>(y * a.size.x + x + across)};
  }
  template <class Team>
  DWELL_FN static void fetch(const place& p, T* halo, const T* field, unsigned plane) {
    Team::fetch_if(p.to >= 0, reinterpret_cast<piece*>(halo + p.to),
                   reinterpret_cast<const piece*>(field + (plane + p.from)) - 1);
  }

  /// Rows above the block, then below it.
  DWELL_FN static const T* row(const T* halo, int nth) { return halo + nth * width; }
  /// The columns beside row y of the block; then the column d to the left or the right, 1 to R,
  /// beside row y + k.
  DWELL_FN static const T* column(const T* halo, int y) { return halo + sides + (y + R) * across; }
  DWELL_FN static T left(const T* column, int k, int d) { return column[k * across + across - d]; }
  DWELL_FN static T right(const T* column, int k, int d) {
    return column[(line + k) * across + d - 1];
  }
};

}  // namespace dwell
