// SPDX-License-Identifier: MIT
// A regular grid of cells in two or three dimensions: its extents, a view, and an owner. Cells lie
// in C order (x fastest) without padding, as NumPy would store them.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dwell/formats/error.hpp"

namespace dwell {

/// Cells along each axis, slowest axis first, as NumPy writes a shape: {y, x} or {z, y, x}. In two
/// dimensions z is 1.
struct extents {
  int z = 1, y = 1, x = 1;
  int dims = 2;

  constexpr extents() = default;
  constexpr extents(int y_cells, int x_cells) : y(y_cells), x(x_cells) {}
  constexpr extents(int z_cells, int y_cells, int x_cells)
      : z(z_cells), y(y_cells), x(x_cells), dims(3) {}

  std::size_t cells() const {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(y) * static_cast<std::size_t>(x);
  }
  friend bool operator==(const extents&, const extents&) = default;
};

/// "300x200": as a user writes it.
inline std::string to_string(const extents& n) {
  std::string s = n.dims == 3 ? std::to_string(n.z) + "x" : "";
  return s + std::to_string(n.y) + "x" + std::to_string(n.x);
}

/// The most cells a grid may have: byte counts and offsets then stay far from 63 bits.
inline constexpr std::size_t max_cells = std::size_t(1) << 40;

/// Throws input_error unless `n` has 2 or 3 axes of at least one cell, and not too many cells.
inline void check_extents(const extents& n) {
  if (n.z < 1 || n.y < 1 || n.x < 1 || (n.dims != 2 && n.dims != 3) || (n.dims == 2 && n.z != 1))
    throw input_error("size: expected at least one cell along each axis, found " + to_string(n));
  if (static_cast<std::size_t>(n.y) * static_cast<std::size_t>(n.x) >
      max_cells / static_cast<std::size_t>(n.z))
    throw input_error("size: " + to_string(n) + " is more than 2^40 cells");
}

/// Somebody else's cells.
template <class T>
struct grid_view {
  extents size;
  T* data = nullptr;

  T& operator()(int y, int x) const { return (*this)(0, y, x); }
  T& operator()(int z, int y, int x) const {
    return data[(static_cast<std::size_t>(z) * static_cast<std::size_t>(size.y) +
                 static_cast<std::size_t>(y)) *
                    static_cast<std::size_t>(size.x) +
                static_cast<std::size_t>(x)];
  }
  std::span<T> cells() const { return {data, size.cells()}; }
};

/// Owns its cells.
template <class T>
class grid {
 public:
  grid() : grid(extents(1, 1)) {}
  explicit grid(const extents& n, T value = T(0))
      : size_((check_extents(n), n)), cells_(n.cells(), value) {}

  const extents& size() const { return size_; }
  std::span<T> cells() { return cells_; }
  std::span<const T> cells() const { return cells_; }
  grid_view<T> view() { return {size_, cells_.data()}; }
  grid_view<const T> view() const { return {size_, cells_.data()}; }
  T& operator()(int y, int x) { return view()(y, x); }
  T& operator()(int z, int y, int x) { return view()(z, y, x); }
  const T& operator()(int y, int x) const { return view()(y, x); }
  const T& operator()(int z, int y, int x) const { return view()(z, y, x); }
  friend bool operator==(const grid&, const grid&) = default;

 private:
  extents size_;
  std::vector<T> cells_;
};

}  // namespace dwell
