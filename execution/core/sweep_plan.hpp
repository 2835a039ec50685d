// SPDX-License-Identifier: MIT
// How a Sweep is laid out on a device: what a kernel is compiled for (its rung) and the run-time
// extents. Plans are made by a policy and checked against the device before a launch.
#pragma once
#include <cstddef>
#include <cstdint>

namespace dwell {

/// In which order a pass takes the rows that are not in registers. Names as in Zhang 2023, figure
/// 4.5, where the cached region moves with the order; here it stays, and only what streams turns:
///   fixed    always from the first to the last
///   zig_zag  down in one step, up in the next: what was left last in L2 is found there first
///   ring     always down, but a step begins some rows before where the last one ended
enum class traversal : int { fixed, zig_zag, ring };

/// Lanes of a team beside each other along x where nothing is kept, the others below them: two
/// warps, so that a warp reads whole lines.
inline constexpr int lanes_beside = 64;

/// Pieces of so many cells that cover all of them.
constexpr int pieces(int cells, int of) { return (cells + of - 1) / of; }

/// Cells from a row of a field to the next in a device's memory where nothing is kept: rows begin
/// at whole sectors, whatever their width. Those of a few cells stay packed, which others would
/// cost too much memory, and so do those of which cells could then not be numbered.
constexpr int padded_row(int cells, std::size_t scalar_bytes) {
  const int sector = static_cast<int>(32 / scalar_bytes), over = cells % sector;
  return cells < 32 || over == 0 || cells > INT32_MAX - sector ? cells : cells - over + sector;
}

/// Every second step may take tiles backwards in two dimensions, with no more rows above and below:
/// others were slower for it (docs/design.md).
constexpr bool may_turn(int dims, int radius) { return dims == 2 && radius <= 4; }

/// The compile-time constants of one compiled kernel for Sweeps.
struct sweep_rung {
  int lanes;           ///< lanes of a team (threads of a block)
  int teams_per_unit;  ///< teams that must fit on a multiprocessor together (launch bounds)
  // The cells of a lane. Executors that keep the field on the chip have tiles made of rows in two
  // dimensions, and of planes in three; there, too, the fields are called rows.
  int across = 0;         ///< along x
  int register_rows = 0;  ///< that stay in registers; below them come rows kept elsewhere
  int down = 1;           ///< along y in one plane
  bool rest = true;       ///< there may be rows that are not in registers
  bool source = true;     ///< there may be a source
  int fetched = 0;        ///< rows (planes) from memory that are under way together, in scratch
  int levels = 0;         ///< steps of one pass; 0: a pass is one step
  bool orders = false;    ///< rows that stream may be taken in any order, not in `fixed` alone
  int deep = 1;           ///< cells along z at a time, where nothing is kept
  int together = 1;       ///< of these, or in two dimensions of those along y, in one patch
  bool keeps = false;     ///< teams keep tiles of the field
  bool flows = false;     ///< a tile of a step waits for those around it, not for all
  // In two dimensions, passes of one step: warps own shares that are on the chip whole, but for so
  // many rows, the last ones, which live in the field.
  bool warp_shares = false;
  int shown_rows = 0;
};

/// What the compiler and the driver say of one compiled kernel.
struct sweep_rung_facts {
  sweep_rung shape{};
  int registers = 0;              ///< per lane
  int spill_bytes = 0;            ///< per lane
  int max_teams = 0;              ///< that can be resident on the device together
  std::size_t scratch_bytes = 0;  ///< that the kernel needs even if nothing is kept there
};

/// Plain data, so that it can travel into a kernel; the reason travels beside it.
struct sweep_plan {
  int rung = 0;
  int teams = 1;
  int tile_z = 1, tile_y = 1, tile_x = 1;     ///< cells that a team takes at a time
  int tiles_z = 0, tiles_y = 0, tiles_x = 0;  ///< that cover the inner cells
  bool by_ticket = false;  ///< teams draw their tiles; else each has every teams-th one
  bool turns = false;      ///< every second step takes the tiles from the last to the first
  // Executors that keep the field on the chip: a team owns its share for the whole run, or each of
  // its warps owns one (in two dimensions, in passes of several steps and under `warp_shares`).
  int shares_y = 0, shares_x = 0;  ///< the grid of shares
  int shares_z = 1;
  int side_shares_y = 0;  ///< of warps, in passes: down the first and the last column of the grid
  int depth = 1;          ///< steps between two exchanges of tiles' edges
  int scratch_rows = 0;   ///< rows of every warp (planes) that stay in scratch
  int streamed_rows = 0;  ///< the others: they pass through once in a pass of one step or several,
                          ///< or live in the field (`warp_shares`)
  traversal order = traversal::fixed;
  int ring_rows = 0;  ///< by which the beginning of a pass moves, if it is a ring

  constexpr std::int64_t tiles() const { return std::int64_t{tiles_z} * tiles_y * tiles_x; }
};

}  // namespace dwell
