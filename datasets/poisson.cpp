// SPDX-License-Identifier: MIT
// Finite-difference matrices of a box of points: the 5-point and 7-point Laplacians with Dirichlet
// and with Neumann boundaries; with Dirichlet boundaries the 5-point one with convection, with weak
// couplings or with coefficients that jump, and the 27-point box. Points are numbered x first, then
// y, then z.
#include <algorithm>

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
  return build_rows(points, points, threads, laplacian_rows<index>{width, height, depth, diagonal});
}

csr<double> neumann(index width, index height, index depth, int threads) {
  const index plane = width * height, points = plane * depth;
  return build_rows(points, points, threads, [=](index i, auto&& sink) {
    const index x = i % width, y = i / width % height, z = i / plane;
    const bool before[] = {z > 0, y > 0, x > 0};
    const bool after[] = {x + 1 < width, y + 1 < height, z + 1 < depth};
    const index away[] = {plane, width, 1};
    int neighbours = 0;
    for (const bool there : before) neighbours += there;
    for (const bool there : after) neighbours += there;
    for (int k = 0; k < 3; ++k)
      if (before[k]) sink(i - away[k], -1.0);
    sink(i, static_cast<double>(neighbours));
    for (int k = 0; k < 3; ++k)
      if (after[k]) sink(i + away[2 - k], -1.0);
  });
}

csr<double> convection(index width, index height, double peclet, int threads) {
  const double upwind = peclet / (static_cast<double>(width) + 1.0);
  return build_rows(width * height, width * height, threads, [=](index i, auto&& sink) {
    const index x = i % width, y = i / width;
    if (y > 0) sink(i - width, -1.0);
    if (x > 0) sink(i - 1, -1.0 - upwind);
    sink(i, 4.0 + upwind);
    if (x + 1 < width) sink(i + 1, -1.0);
    if (y + 1 < height) sink(i + width, -1.0);
  });
}

csr<double> anisotropic(index width, index height, double across, int threads) {
  return build_rows(width * height, width * height, threads, [=](index i, auto&& sink) {
    const index x = i % width, y = i / width;
    if (y > 0) sink(i - width, -across);
    if (x > 0) sink(i - 1, -1.0);
    sink(i, 2.0 + 2.0 * across);
    if (x + 1 < width) sink(i + 1, -1.0);
    if (y + 1 < height) sink(i + width, -across);
  });
}

csr<double> jumps(index width, index height, double ratio, int threads) {
  return build_rows(width * height, width * height, threads, [=](index i, auto&& sink) {
    const index x = i % width, y = i / width;
    const auto k = [=](index cx, index cy) {
      return (cx / jump_block + cy / jump_block) % 2 == 0 ? 1.0 : ratio;
    };
    const double here = k(x, y);
    const auto between = [&](index cx, index cy) {
      const bool inside = cx >= 0 && cx < width && cy >= 0 && cy < height;
      if (!inside) return here;
      const double there = k(cx, cy);
      return 2.0 * here * there / (here + there);
    };
    const double down = between(x, y - 1), left = between(x - 1, y);
    const double right = between(x + 1, y), up = between(x, y + 1);
    if (y > 0) sink(i - width, -down);
    if (x > 0) sink(i - 1, -left);
    sink(i, down + left + right + up);
    if (x + 1 < width) sink(i + 1, -right);
    if (y + 1 < height) sink(i + width, -up);
  });
}

std::int64_t box_nonzeros(std::int64_t n) {
  const __int128 per_axis = 3 * n - 2;
  return saturated(per_axis * per_axis * per_axis);
}

csr<double> box(index n, int threads) {
  const index plane = n * n, points = plane * n;
  return build_rows(points, points, threads, [=](index i, auto&& sink) {
    const index x = i % n, y = i / n % n, z = i / plane;
    const auto from = [](index c) { return std::max(c - 1, 0); };
    const auto to = [n](index c) { return std::min(c + 1, n - 1); };
    for (index c = from(z); c <= to(z); ++c)
      for (index b = from(y); b <= to(y); ++b)
        for (index a = from(x); a <= to(x); ++a) {
          const index j = c * plane + b * n + a;
          sink(j, j == i ? 26.5 : -1.0);
        }
  });
}

}  // namespace dwell::detail
