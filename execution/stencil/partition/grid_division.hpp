// SPDX-License-Identifier: MIT
// How a grid is divided among ranks, into slabs, pencils or blocks, and what the rank with the most
// neighbours then exchanges: messages, bytes, and which of them leave the host. Axes are z, y, x,
// the slowest first; a grid in two dimensions has z = 1.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace dwell::model {

using axis_counts = std::array<std::int64_t, 3>;  ///< counts along the axes z, y, x

/// Cells of an extents-like "planes x rows x columns"; rows x columns have planes = 1.
struct grid_cells {
  axis_counts of{1, 1, 1};
  constexpr std::int64_t total() const { return of[0] * of[1] * of[2]; }
  constexpr int dims() const { return of[0] > 1 ? 3 : 2; }
};

/// Ranks along each axis, and those of them that share a host.
struct grid_division {
  axis_counts parts{1, 1, 1};
  axis_counts on_host{1, 1, 1};
  /// Neighbours of a rank in the midst along an axis: 0, 1 or 2.
  constexpr int sides(int axis) const {
    return parts[static_cast<std::size_t>(axis)] > 2
               ? 2
               : static_cast<int>(parts[static_cast<std::size_t>(axis)]) - 1;
  }
  /// Sides on other hosts, for a rank at the rim of its host's part.
  int sides_off_host(int axis) const;
};

/// What to divide: the whole grid, or (weak scaling) a grid that every rank has one of.
struct division_request {
  grid_cells cells;
  bool of_each_rank = false;
  int ranks = 1;
  int ranks_of_host = 8;
  int cut_axes = 1;         ///< 1: slabs, 2: pencils, 3: blocks; counted from the slowest axis
  std::int64_t layers = 1;  ///< layers of ghosts: no rank may have fewer along an axis that is cut
};

/// The division whose ranks exchange the fewest cells; of a grid that every rank has one of, the
/// one with the most equal numbers of parts, since there a long row of ranks would always exchange
/// least. Then the part of a host that sends the least to others: a block of the ranks' grid if
/// its numbers divide, else no two neighbours share a host. None if a rank would have fewer layers
/// than it must exchange.
std::optional<grid_division> divide(const division_request& request);

/// Own cells of the largest rank.
grid_cells own_cells(const division_request& request, const grid_division& division);

/// What one exchange of `layers` layers of ghosts takes of a rank in the midst.
struct halo_messages {
  int messages = 0;  ///< that it sends; it receives as many
  int off_host = 0;  ///< messages to other hosts
  int rounds = 0;    ///< one after the other: axes, if corners are needed, else one
  double cells = 0;  ///< that it sends
  double cells_off_host = 0;
  double largest = 0;  ///< cells of the largest message
};

/// corners: cells that are diagonal neighbours are needed, too (boxes, several steps between two
/// exchanges), which come by axes in turn, each with the ghosts of those before it.
halo_messages halo_of(const grid_cells& own, const grid_division& division, std::int64_t layers,
                      bool corners);

/// Own cells and ghosts on all sides that have neighbours.
double cells_with_ghosts(const grid_cells& own, const grid_division& division, std::int64_t layers);
/// The part of the own cells that is at least `layers` away from every neighbour, 0 to 1: can be
/// computed while ghosts are under way.
double interior_part(const grid_cells& own, const grid_division& division, std::int64_t layers);

/// Own cells of the smallest rank.
grid_cells least_cells(const division_request& request, const grid_division& division);
/// Steps between two exchanges that add no more than about a tenth to the cells of a rank that has
/// at least `least`: the sum of 2 steps radius / layers over the axes that are cut is at most 0.1.
/// At least 1 and at most `most`.
int steps_that_add_a_tenth(const grid_cells& least, const grid_division& division, int radius,
                           int most);
/// Steps in whole passes, where several fit.
constexpr int whole_passes(int steps, int pass_steps) {
  return steps > pass_steps ? steps - steps % pass_steps : steps;
}

/// A division of a field on which steps are done, and how many between two exchanges.
struct stencil_division_plan {
  grid_division division;
  int steps = 1;
};
/// The division with the least cost of those that cut up to request.cut_axes axes, where one that
/// cuts more axes must cost a tenth less: their messages are packed, and come in more rounds.
/// Costs are cells that are computed in a step, and 16 times those sent: a cell of 8 bytes at the
/// 370.8 GB/s of an H100's NVLinks takes as long as 4 that a plain step computes, and as 50 of
/// 2d5pt under `temporal` (docs/design/scaling.md, results/multi-gpu.md); on CPUs it is written and
/// read a few times. None if a rank would have fewer than `radius` layers.
std::optional<stencil_division_plan> plan_division(division_request request, int radius,
                                                   int most_steps);

}  // namespace dwell::model
