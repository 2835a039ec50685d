// SPDX-License-Identifier: MIT
// The cells of one warp in two dimensions in a fully cached field, and of each of its lanes. Lanes
// own all cells of theirs or none: a grid whose columns are no whole number of lanes' is covered
// all the same, since the last column of subdomains then begins a piece of cells earlier. Cells
// that it has in common with the column before, both compute, and only the one before publishes.
#pragma once
#include "dwell/base/ranges.hpp"
#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/cell/register_tile.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"
#include "dwell/execution/stencil/engines/strip2d/sizes.hpp"
#include "dwell/execution/stencil/partition/grid.hpp"

namespace dwell {

template <class S, class T>
struct strip_subdomain {
  static constexpr int RX = perks_across<S>, R = radius_of<S>;
  int x0, y0;              ///< begin in the grid
  int nx, ny;              ///< cells; nx of whole lanes
  int twice;               ///< columns that the last two subdomains of a row have in common
  bool last, before_last;  ///< which subdomain of a row it is
  bool present;            ///< there is such a subdomain

  DWELL_FN strip_subdomain(const stencil_args<T>& a, int worker, int warp) {
    const stencil_plan& p = a.plan;
    const cell_box all = cells_of_rows(a.size, a.inner, a.edge);
    const subdomain_place at = place_of_strip(p, worker, warp);
    present = at.z == 0;
    last = at.x == p.subdomains_x - 1;
    before_last = at.x == p.subdomains_x - 2;
    const int lanes = (all.x1 - all.x0 + RX - 1) / RX;
    const int first = cut(lanes, at.x, p.subdomains_x);
    nx = (cut(lanes, at.x + 1, p.subdomains_x) - first) * RX;
    twice = lanes * RX - (all.x1 - all.x0);
    x0 = all.x0 + first * RX - (last ? twice : 0);
    y0 = all.y0 + cut(all.y1 - all.y0, at.y, p.subdomains_y);
    ny = present ? all.y0 + cut(all.y1 - all.y0, at.y + 1, p.subdomains_y) - y0 : 0;
  }
  /// The subdomain, and no other, publishes cells i to i + n - 1 of a row.
  DWELL_FN bool publishes(int i, int n) const {
    return present && i + n <= nx && (!last || i >= twice);
  }
  /// Subdomains beside it need `needed` cells of every row, whole pieces, at either end, from these
  /// on: cells that two subdomains have in common lie before the end of the one and at the
  /// beginning of the other.
  static constexpr int wide = cell_piece<T>::size, needed = (R + wide - 1) / wide * wide;
  DWELL_FN int needed_first() const { return last ? twice : 0; }
  DWELL_FN int needed_last() const { return nx - needed - (before_last ? twice : 0); }
  /// Cells i to i + n - 1, a piece, are among the needed ones.
  DWELL_FN bool shows_always(int i, int n) const {
    return publishes(i, n) &&
           (within(i - needed_first(), needed) || within(i - needed_last(), needed));
  }
};

/// Where a lane's cells lie, and which pieces beyond and at the ends of its warp's rows it copies.
template <class S, class T>
struct strip_lane {
  using subdomain = strip_subdomain<S, T>;
  static constexpr int RX = subdomain::RX, wide = subdomain::wide;
  static constexpr int beside = strip_halo_pieces<S, T>;
  static constexpr int together = strip_halo_rows<S>, ring = 2 * together;
  static_assert(2 * beside * together <= 32);

  int top;             ///< row of the grid, the subdomain's first
  int rows;            ///< rows of the subdomain
  unsigned first;      ///< column of the grid, the lane's first
  unsigned all, some;  ///< pieces of a row that the lane publishes, a bit each; those of every row
  // The lane's own pieces on either side of the ends of rows that travel together:
  int side_row;      ///< in which of them, or none if as many as there are,
  unsigned side;     ///< the column in the field, and a piece, of the one beyond the end,
  int side_slot;     ///< where it goes, in the first half of the ring,
  unsigned edge;     ///< the column of the subdomain's own,
  int edge_slot;     ///< and where it lies in a row that is in scratch
  int ends;          ///< where a lane at the end of a row finds those beyond it
  bool left, right;  ///< it is at that end

  strip_lane() = default;
  DWELL_FN strip_lane(const stencil_args<T>& a, const subdomain& own, int l)
      : top(own.y0), rows(own.ny), all(0), some(0) {
    const int lane = l % 32, here = lane * RX;
    // A lane without cells reads cells of its own warp, which are never used.
    first = static_cast<unsigned>(own.x0 + (here < own.nx ? here : 0));
    DWELL_UNROLL
    for (int k = 0; k < RX; k += wide) {
      all |= static_cast<unsigned>(own.publishes(here + k, wide)) << (k / wide);
      some |= static_cast<unsigned>(own.shows_always(here + k, wide)) << (k / wide);
    }
    left = lane == 0;
    right = here + RX == own.nx;
    ends = ring_place(l / 32, left ? 0 : 1, 0, 0);
    const int nth = lane % (2 * beside), end = nth / beside, before = nth % beside * wide;
    side_row = own.present ? lane / (2 * beside) : together;
    side_slot = ring_place(l / 32, end, lane / (2 * beside) % together, nth % beside);
    int x = (end == 0 ? own.x0 - beside * wide : own.x0 + own.nx) + before;
    if (a.edge == boundary::periodic) x = (x + a.size.x) % a.size.x;
    side = static_cast<unsigned>(x + wide);  // x may be negative
    const int at = (end == 0 ? own.needed_first() : own.needed_last()) + before;
    edge = static_cast<unsigned>(own.x0 + at);
    edge_slot = (l / 32 * 32 + at / RX) * wide + cached_place(at % RX);
  }
  /// Place of value k of a lane in a row that is in scratch, from the lane's first one.
  DWELL_FN static constexpr int cached_place(int k) {
    return k / wide * wide * perks_lanes + k % wide;
  }
  /// Place of a piece beyond an end of a row that is in the ring.
  DWELL_FN static int ring_place(int warp, int end, int row, int nth) {
    return (((warp * 2 + end) * ring + row) * beside + nth) * wide;
  }
};

}  // namespace dwell
