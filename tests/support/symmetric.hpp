// SPDX-License-Identifier: MIT
// A symmetric matrix collected entry by entry, for the builders of the battery.
#pragma once
#include <cmath>
#include <map>
#include <vector>

#include "dwell/formats/csr.hpp"

namespace dwell::test {

/// Collects a symmetric matrix; add() writes both triangles and sums what it meets twice.
class symmetric {
 public:
  explicit symmetric(index n) : rows_(static_cast<std::size_t>(n)) {}
  index size() const { return static_cast<index>(rows_.size()); }

  void add(index i, index j, double v) {
    row(i)[j] += v;
    if (i != j) row(j)[i] += v;
  }
  bool has(index i, index j) { return row(i).contains(j); }

  /// Diagonal: the magnitudes beside it plus shift(i).
  template <class F>
  csr<double> dominant(F&& shift) {
    for (index i = 0; i < size(); ++i) {
      double sum = 0;
      for (const auto& [j, v] : row(i))
        if (j != i) sum += std::abs(v);
      row(i)[i] = sum + shift(i);
    }
    return as_is();
  }

  csr<double> as_is() const {
    csr<double> a;
    a.rows = a.cols = size();
    for (const auto& r : rows_) {
      for (const auto& [j, v] : r) {
        a.col.push_back(j);
        a.val.push_back(v);
      }
      a.row_ptr.push_back(static_cast<index>(a.col.size()));
    }
    return a;
  }

 private:
  std::map<index, double>& row(index i) { return rows_[static_cast<std::size_t>(i)]; }
  std::vector<std::map<index, double>> rows_;
};

/// Matrix of condition n^4 or so, with a constant diagonal: squared second differences.
inline csr<double> beam(index n) {
  symmetric s(n);
  for (index i = 0; i < n; ++i) {
    s.add(i, i, i == 0 || i == n - 1 ? 5 : 6);
    if (i + 1 < n) s.add(i, i + 1, -4);
    if (i + 2 < n) s.add(i, i + 2, 1);
  }
  return s.as_is();
}

/// Harmonic means of a coefficient that is 1 or 10^8 on blocks of 6 x 6 points; Dirichlet boundary.
inline csr<double> jumping(index side) {
  const auto k = [&](index x, index y) { return (x / 6 + y / 6) % 2 == 0 ? 1.0 : 1e8; };
  const auto mean = [](double a, double b) { return 2 * a * b / (a + b); };
  symmetric s(side * side);
  for (index y = 0; y < side; ++y)
    for (index x = 0; x < side; ++x) {
      const index i = y * side + x;
      const double here = k(x, y);
      double sum = 0;
      for (int way = 0; way < 4; ++way) {
        const index step = way % 2 == 0 ? 1 : -1;
        const index u = x + (way < 2 ? step : 0), v = y + (way < 2 ? 0 : step);
        const bool inside = u >= 0 && v >= 0 && u < side && v < side;
        const double c = inside ? mean(here, k(u, v)) : here;
        sum += c;
        if (inside && v * side + u > i) s.add(i, v * side + u, -c);
      }
      s.add(i, i, sum);
    }
  return s.as_is();
}

}  // namespace dwell::test
