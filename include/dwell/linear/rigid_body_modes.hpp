// SPDX-License-Identifier: MIT
// The rigid-body modes of a body from the coordinates of its nodes: the near-null vectors of
// elasticity, for preconditioner_options::near_null.
#pragma once
#include <span>
#include <vector>

#include "dwell/base/api.hpp"

namespace dwell {

/// Displacements that strain nothing: in two dimensions two translations and a rotation, in three
/// three of each. coordinates: x and y, or x, y and z of each node, one node after the other;
/// dimension: 2 or 3. Returns the vectors column after column, `dimension` rows a node: the
/// displacements along the axes. With `rotations` a node has its rotations besides, 3 rows in the
/// plane and 6 in space, as in frames and shells. The rotations are about the mean of all nodes.
/// Throws input_error for another dimension, a number of coordinates that does not fit it, and
/// values that are not finite.
DWELL_API std::vector<double> rigid_body_modes(std::span<const double> coordinates, int dimension,
                                               bool rotations = false);

}  // namespace dwell
