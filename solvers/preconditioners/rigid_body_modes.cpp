// SPDX-License-Identifier: MIT
// Translations and rotations about the middle of the nodes.
#include "dwell/linear/rigid_body_modes.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>

#include "dwell/base/error.hpp"

namespace dwell {

std::vector<double> rigid_body_modes(std::span<const double> coordinates, int dimension,
                                     bool rotations) {
  if (dimension != 2 && dimension != 3)
    throw input_error(fmt::format("coordinates: expected dimension 2 or 3, found {}", dimension));
  const auto dims = static_cast<std::size_t>(dimension);
  if (coordinates.empty() || coordinates.size() % dims != 0)
    throw input_error(fmt::format("coordinates: expected {} for each node, found {} values",
                                  dimension, coordinates.size()));
  for (std::size_t k = 0; k < coordinates.size(); ++k)
    if (!std::isfinite(coordinates[k]))
      throw input_error(fmt::format("coordinates: expected finite values, found {} at [{}, {}]",
                                    coordinates[k], k / dims, k % dims));
  const std::size_t nodes = coordinates.size() / dims;
  std::array<double, 3> mean{};
  for (std::size_t axis = 0; axis < dims; ++axis) {
    double sum = 0.0;
    for (std::size_t node = 0; node < nodes; ++node)
      sum += coordinates[node * dims + axis] / static_cast<double>(nodes);
    mean[axis] = sum;
  }
  const std::size_t turns = dims == 2 ? 1 : 3;
  const std::size_t node_rows = dims + (rotations ? turns : 0), rows = nodes * node_rows;
  std::vector<double> modes((dims + turns) * rows, 0.0);
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto at = [&](std::size_t axis) { return coordinates[node * dims + axis] - mean[axis]; };
    const auto set = [&](std::size_t mode, std::size_t row, double v) {
      modes[mode * rows + node * node_rows + row] = v;
    };
    for (std::size_t axis = 0; axis < dims; ++axis) set(axis, axis, 1.0);
    for (std::size_t turn = 0; turn < turns; ++turn) {
      // About an axis (in the plane: the third one), from the next axis to the one after it.
      const std::size_t from = dims == 2 ? 0 : (turn + 1) % 3, to = dims == 2 ? 1 : (turn + 2) % 3;
      set(dims + turn, from, -at(to));
      set(dims + turn, to, at(from));
      if (rotations) set(dims + turn, dims + turn, 1.0);
    }
  }
  return modes;
}

}  // namespace dwell
