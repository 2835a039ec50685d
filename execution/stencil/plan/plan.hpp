// SPDX-License-Identifier: MIT
// How a Stencil is laid out on a device: what a kernel is compiled for (its config) and the
// run-time extents. Plans are made by a policy and checked against the device before a launch.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/execution/stencil/order/cell_order_value.hpp"

namespace dwell {

/// In which order a pass takes the rows that are not in registers. Names as in Zhang 2023, figure
/// 4.5, where the cached region moves with the order; here it stays, and only what streams
/// alternates:
///   fixed    always from the first to the last
///   zig_zag  down in one step, up in the next: what was left last in L2 is found there first
///   ring     always down, but a step begins some rows before where the last one ended
enum class traversal : int { fixed, zig_zag, ring };

/// Lanes of a team beside each other along x where nothing is cached, the others below them: two
/// warps, so that a warp reads whole lines.
inline constexpr int lanes_beside = 64;

/// Pieces of so many cells that cover all of them.
constexpr int pieces(int cells, int of) { return (cells + of - 1) / of; }

/// Cells from a row of a field to the next in a device's memory where nothing is cached: rows begin
/// at whole sectors, whatever their width. Rows of a few cells stay packed, since padding them
/// would cost too much memory, and so do rows whose padded cells could not be numbered.
constexpr int padded_row(int cells, std::size_t scalar_bytes) {
  const int sector = static_cast<int>(32 / scalar_bytes), over = cells % sector;
  return cells < 32 || over == 0 || cells > INT32_MAX - sector ? cells : cells - over + sector;
}

/// Every second step may take tiles backwards in two dimensions, with no more rows above and below:
/// others were slower for it (docs/lab-notebook.md).
constexpr bool may_alternate(int dims, int radius) { return dims == 2 && radius <= 4; }

/// Plain data, so that it can travel into a kernel; the reason travels beside it.
struct stencil_plan {
  int config = 0;
  int teams = 1;
  int tile_z = 1, tile_y = 1, tile_x = 1;     ///< cells that a team takes at a time
  int tiles_z = 0, tiles_y = 0, tiles_x = 0;  ///< that cover the inner cells
  bool by_ticket = false;   ///< teams draw their tiles; else each has every teams-th one
  bool alternates = false;  ///< every second step takes the tiles from the last to the first
  cell_order cells;         ///< in which a step takes them, or on a GPU its tiles
  // Executors that cache the field on the chip: a team owns its subdomain for the whole run, or
  // each of its warps owns one (in two dimensions, in passes of several steps and under
  // `warp_subdomains`).
  int subdomains_y = 0, subdomains_x = 0;  ///< the grid of subdomains
  int subdomains_z = 1;
  int side_subdomains_y =
      0;          ///< tiles of warps, in passes: down the first and the last column of the grid
  int depth = 1;  ///< steps between two exchanges of tiles' edges
  int scratch_rows = 0;   ///< rows of every warp (planes) that stay in scratch
  int streamed_rows = 0;  ///< the others: they pass through once in a pass of one step or several,
                          ///< or live in the field (`warp_subdomains`)
  traversal order = traversal::fixed;
  int ring_rows = 0;  ///< by which the beginning of a pass moves, if it is a ring

  friend bool operator==(const stencil_plan&, const stencil_plan&) = default;
  constexpr std::int64_t tiles() const { return std::int64_t{tiles_z} * tiles_y * tiles_x; }
};

}  // namespace dwell
