// SPDX-License-Identifier: MIT
// Boundary conditions of a system on a grid: of each axis and each of its two sides.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"

namespace dwell {

/// Kinds of conditions on a side. n is the outward normal.
enum class boundary_kind {
  dirichlet,  ///< u = value
  neumann,    ///< k du/dn = value
  robin,      ///< alpha u + k du/dn = value, alpha >= 0
  periodic    ///< the other end of the axis; both sides are
};

/// A condition on one side of an axis.
struct grid_side {
  boundary_kind kind = boundary_kind::dirichlet;  ///< what it is
  double value = 0;                               ///< its right-hand side, for the whole side
  double alpha = 0;                               ///< robin alone has it; in units of k over length
  /// In place of `value`: one for each cell of the side, in C order of the other axes.
  std::vector<double> values{};
  /// Equal in both.
  friend bool operator==(const grid_side&, const grid_side&) = default;
};

/// Conditions on all sides: of each axis, the slowest first, the low one and the high one. In one
/// and two dimensions the first one or two axes count.
struct grid_boundary {
  std::array<std::array<grid_side, 2>, 3> sides{};  ///< [axis][0: low, 1: high]

  /// All sides alike.
  static grid_boundary all(const grid_side& side) {
    grid_boundary b;
    for (auto& axis : b.sides) axis = {side, side};
    return b;
  }
};

/// "dirichlet 1.5", "neumann 0", "robin 2 0.5" (alpha, value) or "periodic".
DWELL_API std::string to_string(const grid_side& side);
/// Throws input_error unless it is one of these; a value that is left out is 0.
DWELL_API grid_side parse_grid_side(std::string_view text);
/// Conditions of a grid of `dims` dimensions, from "x: dirichlet 0, y: neumann": for each axis (x
/// is the fastest) or side (x- is the low one, x+ the high one) a condition; or one condition for
/// all sides. A side that is not named is "dirichlet 0". Throws input_error for anything else.
DWELL_API grid_boundary parse_grid_boundary(std::string_view text, int dims);

}  // namespace dwell
