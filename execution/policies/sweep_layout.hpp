// SPDX-License-Identifier: MIT
// From a tiling that is asked for to a plan: which rows (planes) of a tile stay in registers, which
// in scratch, which stream, in what order, and how long a step should take. Pure host code, shared
// by the policies of sweep_keep.hpp.
#pragma once
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "dwell/execution/core/sweep_policy.hpp"
#include "dwell/execution/policies/sweep_clock.hpp"

namespace dwell::policies {

/// Where a plan may keep rows.
struct sweep_permission {
  bool registers = false, scratch = false;
};

/// What is asked for. In two dimensions shares_z is 1. A share is a team's, or a warp's, and there
/// are at most so many teams. An order is for rungs without levels.
struct sweep_tiling {
  int rung = 0;
  int shares_z = 1, shares_y = 1, shares_x = 1;
  int teams = 1;
  int depth = 1;
  sweep_permission may;
  std::optional<traversal> order;  ///< none: as planned
};

struct sweep_candidate {
  sweep_plan plan;
  sweep_projection time;
};

/// Why a tiling is not possible, in the order in which it is asked: without what is named last here
/// it would be.
enum class sweep_obstacle {
  shares,   ///< a team's or a warp's share is too wide, too high or too thin
  scratch,  ///< there is too little for what streams
  numbers,  ///< cells have numbers of 32 bits, and there are too many cells
};

/// A plan, or what is in its way.
struct sweep_laid {
  std::optional<sweep_candidate> candidate;
  sweep_obstacle obstacle = sweep_obstacle::shares;

  sweep_laid(sweep_obstacle o) : obstacle(o) {}
  sweep_laid(const sweep_candidate& c) : candidate(c) {}
};

/// Passes of several steps number cells in 32 bits.
inline constexpr std::size_t most_numbered_cells = std::numeric_limits<int>::max();

/// Lays out tilings of one problem on one device. Refers to its arguments, which must outlive it.
class sweep_layout {
 public:
  sweep_layout(const sweep_problem_facts& problem, std::span<const sweep_rung_facts> rungs,
               const device_facts& device)
      : problem_(problem), rungs_(rungs), device_(device), clock_(problem, device) {}

  /// The plan for one tiling.
  sweep_laid of(const sweep_tiling& asked) const;
  /// The most cells of the field that one team of this rung takes of a row, or of a plane along y
  /// and x.
  extents most_of_layer(int rung, int depth) const;

 private:
  const sweep_rung_facts& rung(int number) const {
    return rungs_[static_cast<std::size_t>(number)];
  }
  sweep_laid of_bricks(const sweep_tiling& asked) const;
  sweep_laid of_resident_bricks(const sweep_tiling& asked) const;
  sweep_laid of_resident_rows(const sweep_tiling& asked) const;
  sweep_laid of_waves(const sweep_tiling& asked) const;
  double part_of_layer(const sweep_tiling& asked) const;
  int side_shares(const sweep_tiling& asked) const;
  sweep_laid of_tiles(const sweep_tiling& asked) const;

  std::size_t scratch_limit(int teams) const;
  std::size_t layer_bytes(const sweep_rung& r) const;
  bool lay_rest(sweep_plan& p, int rest, const sweep_tiling& asked) const;
  bool lay_rest_in_order(sweep_plan& p, int rest, const sweep_tiling& asked) const;

  const sweep_problem_facts& problem_;
  std::span<const sweep_rung_facts> rungs_;
  const device_facts& device_;
  sweep_clock clock_;
};

}  // namespace dwell::policies
