// SPDX-License-Identifier: MIT
// Levels of Galerkin's operators, P'AP, with interpolation that follows the coefficients in all
// directions at once. A row has the neighbours across corners, too: 9 elements in two dimensions,
// 27 in three. Where blocks of k meet at corners, or are a few cells wide, the operators of
// coarsening.hpp are too strong or too weak by any factor; these are not.
//
// Interpolation: Dendy (1982), and of three dimensions Dendy (1987).
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "dwell/solvers/grid/coarsening.hpp"
#include "dwell/solvers/grid/coefficients.hpp"
#include "dwell/solvers/grid/profile_factor.hpp"

namespace dwell::grids {

/// Elements of a row of an operator: those of neighbours one step away along each axis that has
/// more than one cell (along x always three), x the fastest; in the middle the sum of the row.
struct box_stencil {
  std::array<int, 3> reach{};  ///< 0 or 1 along z, y, x
  int count() const { return (2 * reach[0] + 1) * (2 * reach[1] + 1) * 3; }
  int slot(int dz, int dy, int dx) const {
    return ((dz + reach[0]) * (2 * reach[1] + 1) + dy + reach[1]) * 3 + dx + 1;
  }
  static box_stencil of(const grid_shape& g) { return {{g.n[0] > 1, g.n[1] > 1, 1}}; }
};

/// Interpolation to cells of a level from the next one. A cell that is not coarse lies between two
/// coarse ones along each of some axes. It has a weight for each corner of them; a bit of a
/// corner's number, one for each halved axis, x the lowest, says which side.
struct corner_weights {
  std::array<halved_axis, 3> axes;  ///< along z, y, x
  int corners = 1;
  std::vector<float> w;  ///< [cell][corner], cells in the order of memory
};

struct galerkin_level {
  grid_shape shape;
  box_stencil box;
  /// [cell][element], cells in the order of memory: minus the elements of the matrix beside the
  /// diagonal, and in the middle the sum of the row. So the diagonal is the sum of these.
  std::vector<float> a;
  std::vector<double> inverse;  ///< 1 / diagonal
  corner_weights step;          ///< to the next level, if there is one
  std::vector<double> u, f, r;  ///< empty if a GPU has them
};

/// Levels below the finest one, the last of them with a factor.
struct galerkin_levels {
  corner_weights step;  ///< from the finest one
  std::vector<galerkin_level> levels;
  profile_factor bottom;
  std::size_t bytes() const;
};

/// Levels down to at most `most_bottom` cells. Rows of `finest` are in the order of memory, and it
/// has more cells than that. singular: constants are in the null space. vectors: levels have them.
template <class V>
galerkin_levels make_galerkin(const coefficients<V>& finest, bool singular, std::size_t most_bottom,
                              bool vectors);

extern template galerkin_levels make_galerkin(const coefficients<double>&, bool, std::size_t, bool);
extern template galerkin_levels make_galerkin(const coefficients<float>&, bool, std::size_t, bool);

}  // namespace dwell::grids
