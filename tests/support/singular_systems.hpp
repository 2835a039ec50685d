// SPDX-License-Identifier: MIT
// Symmetric systems with null spaces that are known: Laplacians of several parts and elastic bodies
// that nothing holds.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "battery.hpp"
#include "dwell/formats/csr.hpp"
#include "oracle.hpp"
#include "symmetric.hpp"

namespace dwell::test {

struct singular {
  csr<double> a;
  std::vector<std::vector<double>> null;
  std::vector<double> flat() const {
    std::vector<double> all;
    for (const auto& v : null) all.insert(all.end(), v.begin(), v.end());
    return all;
  }
};

/// The Laplacian of three grids, whose rows are mixed up: row i of a grid is row 3 i + grid.
inline singular three_parts(index width, index height) {
  const index n = width * height;
  symmetric s(3 * n);
  splitmix64 random(5);
  singular out;
  out.null.assign(3, std::vector<double>(static_cast<std::size_t>(3 * n)));
  std::vector<double> sum(static_cast<std::size_t>(3 * n));
  for (index part = 0; part < 3; ++part) {
    const auto at = [&](index i) { return 3 * i + part; };
    const auto couple = [&](index i, index j) {
      const double c = 1.0 + 0.5 * random.uniform();
      s.add(at(i), at(j), -c);
      sum[static_cast<std::size_t>(at(i))] += c;
      sum[static_cast<std::size_t>(at(j))] += c;
    };
    for (index y = 0; y < height; ++y)
      for (index x = 0; x < width; ++x) {
        if (x + 1 < width) couple(y * width + x, y * width + x + 1);
        if (y + 1 < height) couple(y * width + x, (y + 1) * width + x);
      }
    for (index i = 0; i < n; ++i)
      out.null[static_cast<std::size_t>(part)][static_cast<std::size_t>(at(i))] = 1;
  }
  for (index i = 0; i < 3 * n; ++i) s.add(i, i, sum[static_cast<std::size_t>(i)]);
  out.a = s.as_is();
  return out;
}

/// A truss of points of a grid, with bars to the right, up, and along both diagonals: nothing holds
/// it, so that it may be moved along both axes, and turned.
inline singular truss(index width, index height) {
  const index n = width * height;
  symmetric s(2 * n);
  const auto bar = [&](index x, index y, index dx, index dy) {
    if (x + dx < 0 || x + dx >= width || y + dy >= height) return;
    const index i = y * width + x, j = (y + dy) * width + x + dx;
    const double length2 = dx * dx + dy * dy, k = (1.0 + 0.1 * ((3 * i + j) % 7)) / length2;
    const double d[2] = {static_cast<double>(dx), static_cast<double>(dy)};
    for (index p = 0; p < 2; ++p)
      for (index q = 0; q < 2; ++q) {
        const double v = k * d[p] * d[q];
        if (v == 0) continue;
        s.add(2 * i + p, 2 * j + q, -v);
        if (p <= q) s.add(2 * i + p, 2 * i + q, v), s.add(2 * j + p, 2 * j + q, v);
      }
  };
  for (index y = 0; y < height; ++y)
    for (index x = 0; x < width; ++x)
      bar(x, y, 1, 0), bar(x, y, 0, 1), bar(x, y, 1, 1), bar(x, y, -1, 1);
  singular out;
  out.a = s.as_is();
  out.null.assign(3, std::vector<double>(static_cast<std::size_t>(2 * n)));
  for (index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(2 * i);
    out.null[0][at] = out.null[1][at + 1] = 1;
    out.null[2][at] = -(i / width);
    out.null[2][at + 1] = i % width;
  }
  return out;
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
/// The largest part of x along a null vector.
inline double along(const singular& p, const std::vector<double>& x) {
  double most = 0;
  for (const auto& v : p.null) most = std::max(most, std::abs(dot(v, x)) / norm2(v) / norm2(x));
  return most;
}

}  // namespace dwell::test
