// SPDX-License-Identifier: MIT
// A regular grid of cells in one to three dimensions: its extents, a view, and an owner. Cells lie
// in C order (x fastest) without padding, as NumPy would store them.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/formats/extents.hpp"

namespace dwell {

/// Cells along each axis from one cell of a grid to another.
struct grid_offset {
  int z = 0;  ///< planes
  int y = 0;  ///< rows
  int x = 0;  ///< columns

  /// Along axis 0 (z), 1 (y) or 2 (x).
  constexpr int& operator[](int axis) { return axis == 0 ? z : axis == 1 ? y : x; }
  /// Cells along axis 0 (z), 1 (y) or 2 (x).
  constexpr int operator[](int axis) const { return axis == 0 ? z : axis == 1 ? y : x; }
  /// Equal along all axes.
  friend bool operator==(const grid_offset&, const grid_offset&) = default;
};

/// Neighbouring cells of a grid that form a grid themselves.
struct grid_box {
  grid_offset first;  ///< from the first cell of the whole grid to that of the box
  extents size;       ///< size of the box
  /// Equal in both.
  friend bool operator==(const grid_box&, const grid_box&) = default;
};

/// "300x200": as a user writes it.
inline std::string to_string(const extents& n) {
  std::string s = n.dims == 3 ? std::to_string(n.z) + "x" : "";
  if (n.dims != 1) s += std::to_string(n.y) + "x";
  return s + std::to_string(n.x);
}

/// The most cells a grid may have: byte counts and offsets then stay far from 63 bits.
inline constexpr std::size_t max_cells = std::size_t(1) << 40;

/// Are all cells of the box in a grid of this size?
constexpr bool contains(const extents& all, const grid_box& box) {
  if (box.size.dims != all.dims) return false;
  for (int axis = 0; axis < 3; ++axis)
    if (box.first[axis] < 0 || box.size[axis] < 1 || box.first[axis] > all[axis] - box.size[axis])
      return false;
  return true;
}

/// Throws input_error unless `n` has `least_dims` to 3 axes of at least one cell, and not too many
/// cells.
inline void check_extents(const extents& n, int least_dims = 2) {
  if (n.dims < least_dims || n.dims > 3)
    throw input_error("size: expected " + std::to_string(least_dims) +
                      (least_dims == 2 ? " or 3 axes, found " : " to 3 axes, found ") +
                      std::to_string(n.dims));
  if (n.z < 1 || n.y < 1 || n.x < 1 || (n.dims < 3 && n.z != 1) || (n.dims == 1 && n.y != 1))
    throw input_error("size: expected at least one cell along each axis, found " + to_string(n));
  if (static_cast<std::size_t>(n.y) * static_cast<std::size_t>(n.x) >
      max_cells / static_cast<std::size_t>(n.z))
    throw input_error("size: " + to_string(n) + " is more than 2^40 cells");
}

/// Somebody else's cells.
template <class T>
struct grid_view {
  extents size;       ///< cells along each axis
  T* data = nullptr;  ///< the first cell

  /// Cell of a grid of two dimensions. Nothing is checked.
  T& operator()(int y, int x) const { return (*this)(0, y, x); }
  /// Cell of a grid of three dimensions. Nothing is checked.
  T& operator()(int z, int y, int x) const {
    return data[(static_cast<std::size_t>(z) * static_cast<std::size_t>(size.y) +
                 static_cast<std::size_t>(y)) *
                    static_cast<std::size_t>(size.x) +
                static_cast<std::size_t>(x)];
  }
  std::span<T> cells() const { return {data, size.cells()}; }  ///< all, in memory's order
  /// Converts to a view of constant cells.
  template <std::same_as<const T> To>
  requires(!std::is_const_v<T>) operator grid_view<To>() const { return {size, data}; }
};

/// Owns its cells.
template <class T>
class grid {
 public:
  grid() : grid(extents(1, 1)) {}  ///< one cell
  /// `n` cells of one value, in one to three dimensions. Throws input_error where check_extents()
  /// does.
  explicit grid(const extents& n, T value = T(0))
      : size_((check_extents(n, 1), n)), cells_(n.cells(), value) {}

  const extents& size() const { return size_; }           ///< cells along each axis
  std::span<T> cells() { return cells_; }                 ///< all, in memory's order
  std::span<const T> cells() const { return cells_; }     ///< all, in memory's order
  grid_view<T> view() { return {size_, cells_.data()}; }  ///< valid as long as the grid
  /// Valid as long as the grid.
  grid_view<const T> view() const { return {size_, cells_.data()}; }
  /// A cell of a grid of two dimensions. Nothing is checked.
  T& operator()(int y, int x) { return view()(y, x); }
  /// A cell of a grid of three dimensions. Nothing is checked.
  T& operator()(int z, int y, int x) { return view()(z, y, x); }
  /// A cell of a grid of two dimensions. Nothing is checked.
  const T& operator()(int y, int x) const { return view()(y, x); }
  /// A cell of a grid of three dimensions. Nothing is checked.
  const T& operator()(int z, int y, int x) const { return view()(z, y, x); }
  /// Equal in size and in every cell.
  friend bool operator==(const grid&, const grid&) = default;

 private:
  extents size_;
  std::vector<T> cells_;
};

/// Copies the cells of a box of `from` to `to`, of the box's size. Nothing is checked.
template <class T>
void copy_box(grid_view<const T> from, const grid_offset& first, grid_view<T> to) {
  for (int z = 0; z < to.size.z; ++z)
    for (int y = 0; y < to.size.y; ++y)
      std::copy_n(&from(first.z + z, first.y + y, first.x), to.size.x, &to(z, y, 0));
}
/// The reverse: `from` has the size of the box of `to`.
template <class T>
void copy_to_box(grid_view<const T> from, grid_view<T> to, const grid_offset& first) {
  for (int z = 0; z < from.size.z; ++z)
    for (int y = 0; y < from.size.y; ++y)
      std::copy_n(&from(z, y, 0), from.size.x, &to(first.z + z, first.y + y, first.x));
}

}  // namespace dwell
