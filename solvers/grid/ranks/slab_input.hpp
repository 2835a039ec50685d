// SPDX-License-Identifier: MIT
// The problem on a rank's slab, from what all ranks have of it.
#pragma once
#include <vector>

#include "dwell/grid/grid_operator.hpp"
#include "dwell/solvers/grid/discretize.hpp"
#include "dwell/solvers/grid/ranks/divided_levels.hpp"

namespace dwell::grids {

/// The shape of the whole grid. Throws input_error for what has none, or cannot be divided.
grid_shape shape_of_description(const std::vector<int>& cells, const grid_boundary& boundary,
                                const axis_order& order, int ranks);

/// What a rank's part of an array has: rows of planes.
struct array_rows {
  std::size_t row = 0;  ///< elements of a plane of it
  bool faces = false;   ///< faces along the slowest axis: one plane more
};

/// A discretised slab, by all ranks together. d: arrays have this rank's planes. Throws
/// input_error, on all ranks, as grid_operator does.
template <class T>
system<T> discretize_slab(const divided_grid& grid, const grid_description<T>& d);
/// The operator of the whole grid, on rank 0, if it needs no arrays; else one without rows.
template <class T>
coefficients<T> whole_operator(const divided_grid& grid, const grid_description<T>& d);

/// Copies of planes that ranks have: those of this rank's slab, in order. faces: one plane more.
template <class E>
std::vector<E> planes_of_slab(const divided_grid& grid, std::span<const E> mine, array_rows of);

}  // namespace dwell::grids
