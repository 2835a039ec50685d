// SPDX-License-Identifier: MIT
// The extents of a regular grid of cells. Nothing of the host library, so that kernels have them.
#pragma once
#include <cstddef>

namespace dwell {

/// Cells along each axis, slowest axis first, as NumPy writes a shape: {x}, {y, x} or {z, y, x}. In
/// two dimensions z is 1, in one y, too.
struct extents {
  int z = 1;     ///< planes
  int y = 1;     ///< rows
  int x = 1;     ///< columns
  int dims = 2;  ///< 1, 2 or 3

  constexpr extents() = default;  ///< one cell
  /// Makes extents of one dimension.
  explicit constexpr extents(int x_cells) : x(x_cells), dims(1) {}
  /// Makes extents of two dimensions.
  constexpr extents(int y_cells, int x_cells) : y(y_cells), x(x_cells) {}
  /// Makes extents of three dimensions.
  constexpr extents(int z_cells, int y_cells, int x_cells)
      : z(z_cells), y(y_cells), x(x_cells), dims(3) {}

  /// Along axis 0 (z), 1 (y) or 2 (x).
  constexpr int& operator[](int axis) { return axis == 0 ? z : axis == 1 ? y : x; }
  /// Cells along axis 0 (z), 1 (y) or 2 (x).
  constexpr int operator[](int axis) const { return axis == 0 ? z : axis == 1 ? y : x; }

  /// All: z times y times x.
  std::size_t cells() const {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(y) * static_cast<std::size_t>(x);
  }
  /// Equal along all axes.
  friend bool operator==(const extents&, const extents&) = default;
};

}  // namespace dwell
