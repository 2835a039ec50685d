// SPDX-License-Identifier: MIT
// The cells that one warp of a stream owns in two dimensions, or one team in three
// (streams/agent.hpp): columns, along which it goes layer by layer, from `first` to before `last`.
// Subdomains begin at multiples of a lane's cells along x, so that lanes own all or none of their
// columns, except one at the right end of the grid.
#pragma once
#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/cell/neighbour_view.hpp"
#include "dwell/execution/stencil/partition/grid.hpp"

namespace dwell {

template <class S, class T>
struct stream_subdomain {
  using tile = stream_tile<S, T>;
  static constexpr bool solid = S::dims == 3;
  static constexpr int RX = tile::across;
  int halo;                    ///< cells of others that a pass computes too, to all sides
  int x0, x1, y0 = 0, y1 = 1;  ///< in two dimensions rows are layers
  int first, last;
  bool present;  ///< there is such a subdomain

  /// Subdomain of a warp of a team, or of the team. A grid may have fewer subdomains than the teams
  /// have warps: then some own nothing, see `present`.
  DWELL_FN stream_subdomain(const stencil_args<T>& a, int worker, int warp)
      : halo(a.plan.depth * radius_of<S>) {
    const stencil_plan& p = a.plan;
    const subdomain_place at = solid ? place_of_team(p, worker) : place_of_warp(p, worker, warp);
    present = at.z < p.subdomains_z;
    const int z = present ? at.z : 0, rows = solid ? p.subdomains_y : warp_grid(p).in_column(at.x);
    x0 = column(a, at.x);
    x1 = column(a, at.x + 1);
    const int top = cut(a.size.y, at.y, rows), end = cut(a.size.y, at.y + 1, rows);
    if constexpr (solid) {
      y0 = top;
      y1 = end;
    }
    first = solid ? cut(a.size.z, z, p.subdomains_z) : top;
    last = !present ? first : solid ? cut(a.size.z, z + 1, p.subdomains_z) : end;
  }
  DWELL_FN int layers() const { return last - first; }
  /// The first column of a lane, and its first row in three dimensions; they may lie beyond the
  /// grid.
  DWELL_FN int left(int lane) const { return x0 + (lane % 32 - (halo + RX - 1) / RX) * RX; }
  DWELL_FN int top(int lane) const { return solid ? y0 - halo + lane / 32 * tile::down : 0; }
  /// The lane owns all of its columns; it owns some; it owns or needs some.
  DWELL_FN bool owns(int lane) const { return left(lane) >= x0 && left(lane) + RX <= x1; }
  DWELL_FN bool owns_some(int lane) const { return left(lane) + RX > x0 && left(lane) < x1; }
  DWELL_FN bool used(int lane) const {
    return left(lane) + RX > x0 - halo && left(lane) < x1 + halo;
  }

  /// The first layer all of whose neighbours lie in the grid, and the one after the last.
  DWELL_FN static int inner_first(const stencil_args<T>& a) {
    return solid ? a.inner.z0 : a.inner.y0;
  }
  DWELL_FN static int inner_last(const stencil_args<T>& a) {
    return solid ? a.inner.z1 : a.inner.y1;
  }
  /// All columns that a pass computes have their neighbours in the grid; so do all rows of the
  /// lane's warp that count.
  DWELL_FN bool columns_within(const cell_box& inner) const {
    return x0 - halo >= inner.x0 && x1 + halo <= inner.x1;
  }
  DWELL_FN bool rows_within(const cell_box& inner, int lane) const {
    if constexpr (!solid) return true;
    const int from = top(lane), end = from + tile::down, last = y1 + halo;
    const int to = end < last ? end : last;
    return from >= to || (from >= inner.y0 && to <= inner.y1);
  }

 private:
  DWELL_FN static int column(const stencil_args<T>& a, int part) {
    const int parts = a.plan.subdomains_x;
    return part == parts ? a.size.x : cut(a.size.x, part, parts) / RX * RX;
  }
};

}  // namespace dwell
