// SPDX-License-Identifier: MIT
// Linear elasticity on a grid of squares or cubes with edges of length 1, by bilinear or trilinear
// finite elements with exact integrals: E = 1, plane strain in two dimensions. The face x = 0 is
// clamped, its nodes are not among the unknowns. A function of a node is a product of hat
// functions, so the integral of a product of derivatives is a product of integrals along the axes.
#include <array>

#include "dwell/datasets/model_problems.hpp"
#include "dwell/datasets/row_builder.hpp"

namespace dwell::detail {

namespace {

/// The integral along an axis of `elements` edges of the hat functions of nodes i and j, which are
/// neighbours or the same, or of their derivatives.
double integral(index elements, index i, bool derivative_i, index j, bool derivative_j) {
  const int edges = i == j ? (i > 0) + (i < elements) : 1;
  if (derivative_i && derivative_j) return i == j ? edges : -1.0;
  if (!derivative_i && !derivative_j) return i == j ? edges / 3.0 : 1.0 / 6.0;
  if (i == j) return ((i == elements) - (i == 0)) * 0.5;
  return (i < j) == derivative_i ? -0.5 : 0.5;
}

struct grid_of_nodes {
  int dims;
  std::array<index, 3> elements;  ///< 0 along an axis that is not there

  index along(int axis) const { return elements[axis] + (axis > 0); }  ///< free nodes
  std::array<index, 3> place(index node) const {
    const index x = node % along(0), y = node / along(0) % along(1), z = node / along(0) / along(1);
    return {x + 1, y, z};
  }
};

}  // namespace

std::int64_t elasticity_nonzeros(int dims, std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  const __int128 blocks = __int128(3 * nx - 2) * (3 * ny + 1) * (dims == 3 ? 3 * nz + 1 : 1);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const __int128 all = blocks * dims * dims;
  return all > most ? most : static_cast<std::int64_t>(all);
}

csr<double> elasticity(int dims, std::array<index, 3> elements, double poisson, int threads) {
  const grid_of_nodes grid{dims, elements};
  const double shear = 0.5 / (1.0 + poisson);
  const double lambda = poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
  const index rows = grid.along(0) * grid.along(1) * grid.along(2) * dims;
  return build_rows(rows, rows, threads, [=](index row, auto&& sink) {
    const index node = row / dims, row_axis = row % dims;
    const std::array<index, 3> a = grid.place(node);
    const auto from = [&](int axis) { return a[axis] > (axis == 0 ? 1 : 0) ? -1 : 0; };
    const auto to = [&](int axis) { return a[axis] < elements[axis] ? 1 : 0; };
    for (index z = from(2); z <= to(2); ++z)
      for (index y = from(1); y <= to(1); ++y)
        for (index x = from(0); x <= to(0); ++x) {
          const std::array<index, 3> b{a[0] + x, a[1] + y, a[2] + z};
          // The integral of d/d(axis i) of a's function times d/d(axis j) of b's.
          const auto stiffness = [&](int i, int j) {
            double product = 1.0;
            for (int axis = 0; axis < dims; ++axis)
              product *= integral(elements[axis], a[axis], axis == i, b[axis], axis == j);
            return product;
          };
          double laplacian = 0.0;
          for (int axis = 0; axis < dims; ++axis) laplacian += stiffness(axis, axis);
          const index other = node + x + grid.along(0) * (y + grid.along(1) * z);
          for (int column_axis = 0; column_axis < dims; ++column_axis) {
            const int i = static_cast<int>(row_axis), j = column_axis;
            double v = lambda * stiffness(i, j) + shear * stiffness(j, i);
            if (i == j) v += shear * laplacian;
            sink(other * dims + column_axis, v);
          }
        }
  });
}

std::vector<double> elasticity_coordinates(int dims, std::array<index, 3> elements) {
  const grid_of_nodes grid{dims, elements};
  const index nodes = grid.along(0) * grid.along(1) * grid.along(2);
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(dims));
  for (index node = 0; node < nodes; ++node)
    for (int axis = 0; axis < dims; ++axis) out.push_back(grid.place(node)[axis]);
  return out;
}

}  // namespace dwell::detail
