// SPDX-License-Identifier: MIT
// Finite-difference matrices of a box of points: the 5-point and 7-point Laplacians with Dirichlet
// and with Neumann boundaries; with Dirichlet boundaries the 5-point one with convection, with weak
// couplings or with coefficients that jump, and the 27-point box. Points are numbered x first, then
// y, then z.
#include <limits>

#include "dwell/datasets/grid_rows.hpp"
#include "dwell/datasets/model_problems.hpp"
#include "dwell/datasets/row_builder.hpp"

namespace dwell::detail {

namespace {

std::int64_t saturated(__int128 v) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return v > most ? most : static_cast<std::int64_t>(v);
}

}  // namespace

std::int64_t poisson_nonzeros(std::int64_t width, std::int64_t height, std::int64_t depth) {
  const __int128 w = width, h = height, d = depth;
  return saturated(7 * w * h * d - 2 * (w * h + h * d + d * w));
}

csr<double> poisson(index width, index height, index depth, double diagonal, int threads) {
  const index points = width * height * depth;
  return build_rows(points, points, threads,
                    laplacian_rows<index>{{width, height, depth}, diagonal});
}

csr<double> neumann(index width, index height, index depth, int threads) {
  const index points = width * height * depth;
  return build_rows(points, points, threads, neumann_rows<index>{{width, height, depth}});
}

double upwind_of(double peclet, std::int64_t width) {
  return peclet / (static_cast<double>(width) + 1.0);
}

csr<double> convection(index width, index height, double peclet, int threads) {
  return build_rows(width * height, width * height, threads,
                    convection_rows<index>{{width, height, 1}, upwind_of(peclet, width)});
}

csr<double> anisotropic(index width, index height, double across, int threads) {
  return build_rows(width * height, width * height, threads,
                    anisotropic_rows<index>{{width, height, 1}, across});
}

csr<double> jumps(index width, index height, double ratio, int threads) {
  return build_rows(width * height, width * height, threads,
                    jumps_rows<index>{{width, height, 1}, ratio});
}

std::int64_t box_nonzeros(std::int64_t n) {
  const __int128 per_axis = 3 * n - 2;
  return saturated(per_axis * per_axis * per_axis);
}

csr<double> box(index n, int threads) {
  const index points = n * n * n;
  return build_rows(points, points, threads, box_rows<index>{n});
}

}  // namespace dwell::detail
