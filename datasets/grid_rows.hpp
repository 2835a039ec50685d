// SPDX-License-Identifier: MIT
// Private to datasets: the rows of matrices of a box of points, as functions of their number, in a
// type of integers that may be wider than index. sink(column, value) gets the entries of a row,
// columns ascending; before(i) is how many entries the rows before i have.
#pragma once
#include <algorithm>
#include <cstdint>

namespace dwell::detail {

/// The points, x first, then y, then z; and the pattern of a point and its up to six neighbours.
template <class Number>
struct star_grid {
  Number width, height, depth;

  std::int64_t before(std::int64_t i) const {
    const std::int64_t w = width, plane = w * height, all = plane * depth;
    const std::int64_t whole = i / plane, part = i % plane;  // planes
    std::int64_t missing = (i + w - 1) / w + i / w;  // neighbours of x = 0 and of the last x
    missing += 2 * whole * w + std::min(part, w) + std::max<std::int64_t>(0, part - (plane - w));
    missing += std::min(i, plane) + std::max<std::int64_t>(0, i - (all - plane));
    return 7 * i - missing;
  }
};

/// `diagonal` on the diagonal and -1 for each neighbour.
template <class Number>
struct laplacian_rows : star_grid<Number> {
  double diagonal;
  template <class Sink>
  void operator()(Number i, Sink&& sink) const {
    const auto [width, height, depth] = static_cast<const star_grid<Number>&>(*this);
    const Number plane = width * height, x = i % width, y = i / width % height, z = i / plane;
    if (z > 0) sink(i - plane, -1.0);
    if (y > 0) sink(i - width, -1.0);
    if (x > 0) sink(i - 1, -1.0);
    sink(i, diagonal);
    if (x + 1 < width) sink(i + 1, -1.0);
    if (y + 1 < height) sink(i + width, -1.0);
    if (z + 1 < depth) sink(i + plane, -1.0);
  }
};

/// The number of neighbours on the diagonal, and -1 for each.
template <class Number>
struct neumann_rows : star_grid<Number> {
  template <class Sink>
  void operator()(Number i, Sink&& sink) const {
    const auto [width, height, depth] = static_cast<const star_grid<Number>&>(*this);
    const Number plane = width * height, x = i % width, y = i / width % height, z = i / plane;
    const bool below[] = {z > 0, y > 0, x > 0};
    const bool above[] = {x + 1 < width, y + 1 < height, z + 1 < depth};
    const Number away[] = {plane, width, 1};
    int neighbours = 0;
    for (const bool there : below) neighbours += there;
    for (const bool there : above) neighbours += there;
    for (int k = 0; k < 3; ++k)
      if (below[k]) sink(i - away[k], -1.0);
    sink(i, static_cast<double>(neighbours));
    for (int k = 0; k < 3; ++k)
      if (above[k]) sink(i + away[2 - k], -1.0);
  }
};

/// Convection on a flat grid. upwind: the Peclet number times the spacing.
template <class Number>
struct convection_rows : star_grid<Number> {
  double upwind;
  template <class Sink>
  void operator()(Number i, Sink&& sink) const {
    const auto [width, height, depth] = static_cast<const star_grid<Number>&>(*this);
    const Number x = i % width, y = i / width;
    if (y > 0) sink(i - width, -1.0);
    if (x > 0) sink(i - 1, -1.0 - upwind);
    sink(i, 4.0 + upwind);
    if (x + 1 < width) sink(i + 1, -1.0);
    if (y + 1 < height) sink(i + width, -1.0);
  }
};

/// Anisotropic diffusion on a flat grid.
template <class Number>
struct anisotropic_rows : star_grid<Number> {
  double across;
  template <class Sink>
  void operator()(Number i, Sink&& sink) const {
    const auto [width, height, depth] = static_cast<const star_grid<Number>&>(*this);
    const Number x = i % width, y = i / width;
    if (y > 0) sink(i - width, -across);
    if (x > 0) sink(i - 1, -1.0);
    sink(i, 2.0 + 2.0 * across);
    if (x + 1 < width) sink(i + 1, -1.0);
    if (y + 1 < height) sink(i + width, -across);
  }
};

/// Cells along a side of a square of jumps_rows.
inline constexpr int jump_block = 50;

/// Diffusion on a flat grid of cells; coefficients 1 and `ratio` in turn in squares, as on a
/// chessboard.
template <class Number>
struct jumps_rows : star_grid<Number> {
  double ratio;
  template <class Sink>
  void operator()(Number i, Sink&& sink) const {
    const Number w = this->width, h = this->height, x = i % w, y = i / w;
    const auto k = [&](Number cx, Number cy) {
      return (cx / jump_block + cy / jump_block) % 2 == 0 ? 1.0 : ratio;
    };
    const double here = k(x, y);
    const auto between = [&](Number cx, Number cy) {
      const bool inside = cx >= 0 && cx < w && cy >= 0 && cy < h;
      if (!inside) return here;
      const double there = k(cx, cy);
      return 2.0 * here * there / (here + there);
    };
    const double down = between(x, y - 1), left = between(x - 1, y);
    const double right = between(x + 1, y), up = between(x, y + 1);
    if (y > 0) sink(i - w, -down);
    if (x > 0) sink(i - 1, -left);
    sink(i, down + left + right + up);
    if (x + 1 < w) sink(i + 1, -right);
    if (y + 1 < h) sink(i + w, -up);
  }
};

/// n x n x n points, each with its up to 26 neighbours.
template <class Number>
struct box_rows {
  Number n;

  std::int64_t before(std::int64_t i) const {
    const std::int64_t m = n, x = i % m, y = i / m % m, z = i / (m * m);
    // Points next to k along an axis, itself among them; and next to those before k.
    const auto next_to = [m](std::int64_t k) {
      return k >= m ? 0 : std::min(k + 1, m - 1) - std::max<std::int64_t>(k - 1, 0) + 1;
    };
    const auto next_to_those_before = [m](std::int64_t k) {
      return k == 0 ? 0 : k == m ? 3 * m - 2 : 3 * k - 1;
    };
    const std::int64_t line = next_to_those_before(m);
    return (next_to_those_before(z) * line + next_to(z) * next_to_those_before(y)) * line +
           next_to(z) * next_to(y) * next_to_those_before(x);
  }

  template <class Sink>
  void operator()(Number i, Sink&& sink) const {
    const Number plane = n * n, x = i % n, y = i / n % n, z = i / plane;
    const auto from = [](Number c) { return std::max<Number>(c - 1, 0); };
    const auto to = [this](Number c) { return std::min<Number>(c + 1, n - 1); };
    for (Number c = from(z); c <= to(z); ++c)
      for (Number b = from(y); b <= to(y); ++b)
        for (Number a = from(x); a <= to(x); ++a) {
          const Number j = c * plane + b * n + a;
          sink(j, j == i ? 26.5 : -1.0);
        }
  }
};

}  // namespace dwell::detail
