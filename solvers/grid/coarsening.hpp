// SPDX-License-Identifier: MIT
// Coarse operators. Along an axis every second cell is a coarse one. The others are eliminated as
// in one dimension: such a cell lies between two faces, and its value is their mean by conductance;
// what remains is their series. Conductances across the axis are added up with these weights. So a
// coarse operator has faces again, layers of any k keep the flux through them, and any number of
// cells can be halved.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "dwell/solvers/grid/coefficients.hpp"
#include "dwell/solvers/grid/halved_axis.hpp"

namespace dwell::grids {

/// Weights of an axis: a coarse cell's part in the cell before it and in the one after it. Rows of
/// the axis x have an element per coarse cell. Those of other axes are rows of cells along x.
template <class V>
struct axis_weights {
  std::vector<V> pool;
  std::vector<std::size_t> before,
      after;  ///< axis x: [plane, row], y: [plane, coarse], z: [coarse, row]
};

/// The operator with every second cell of an axis, which has more than one, and the weights.
template <class V>
std::pair<coefficients<V>, axis_weights<V>> coarsened(const coefficients<V>& fine, int axis);

extern template std::pair<coefficients<double>, axis_weights<double>> coarsened(
    const coefficients<double>&, int);
extern template std::pair<coefficients<float>, axis_weights<float>> coarsened(
    const coefficients<float>&, int);

}  // namespace dwell::grids
