// SPDX-License-Identifier: MIT
// The problem that solvers of grids are measured by: -div(k grad u) = 1, u = 0 on all sides,
// spacing
// 1. k is 1 or, in blocks of 30 cells along each axis, jump to the power of a number between 0
// and 1.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace dwell::bench {

class grid_case {
 public:
  /// size: "1000x1000", slowest axis first.
  grid_case(const std::string& size, double jump) {
    for (std::size_t at = 0;;) {
      cells_.push_back(std::atoi(size.c_str() + at));
      const auto by = size.find('x', at);
      if (by == std::string::npos) break;
      at = by + 1;
    }
    if (jump == 1) return;
    std::size_t blocks = 1;
    for (const int n : cells_) blocks *= std::size_t(n / block + 1);
    std::mt19937 random(1);
    for (std::size_t b = 0; b < blocks; ++b)
      of_block_.push_back(std::pow(jump, double(random()) * 0x1p-32));
  }

  int dims() const { return int(cells_.size()); }
  const std::vector<int>& cells() const { return cells_; }
  /// Cells along axis 0 (x), 1 (y) or 2 (z).
  int along(int axis) const { return cells_[cells_.size() - 1 - std::size_t(axis)]; }
  bool jumps() const { return !of_block_.empty(); }
  /// k of the cell at {x, y, z}.
  double k(const std::array<int, 3>& at) const {
    if (!jumps()) return 1;
    std::size_t b = 0;
    for (int axis = dims() - 1; axis >= 0; --axis)
      b = b * std::size_t(along(axis) / block + 1) + std::size_t(at[std::size_t(axis)] / block);
    return of_block_[b];
  }
  /// The conductance of the face of a cell before (-1) or after it (1) along an axis.
  double face(const std::array<int, 3>& at, int axis, int step) const {
    std::array<int, 3> other = at;
    other[std::size_t(axis)] += step;
    const double own = k(at);
    if (other[std::size_t(axis)] < 0 || other[std::size_t(axis)] == along(axis)) return 2 * own;
    return 2 / (1 / own + 1 / k(other));
  }
  /// k of all cells, in C order; empty where it is 1.
  std::vector<double> all_k() const {
    std::vector<double> all;
    if (!jumps()) return all;
    const int nz = dims() > 2 ? along(2) : 1, ny = dims() > 1 ? along(1) : 1;
    for (int z = 0; z < nz; ++z)
      for (int y = 0; y < ny; ++y)
        for (int x = 0; x < along(0); ++x) all.push_back(k({x, y, z}));
    return all;
  }

 private:
  static constexpr int block = 30;
  std::vector<int> cells_;
  std::vector<double> of_block_;
};

}  // namespace dwell::bench
