// SPDX-License-Identifier: MIT
// An operator on a grid as conductances: A u of a cell is the sum over its faces of w (u - u of the
// neighbour), plus s u. Beyond a side u is 0. Rows with equal coefficients share their memory, so
// that an operator with constant k has some rows in all, which stay in the first-level cache.
#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <vector>

namespace dwell::grids {

/// Axes in the order of memory: z planes of y rows of x cells. A grid of two dimensions has planes
/// of one row, one of one dimension a single plane.
enum axis { z_axis = 0, y_axis = 1, x_axis = 2 };

struct grid_shape {
  std::array<int, 3> n{1, 1, 1};  ///< cells along z, y, x
  std::array<bool, 3> wraps{};    ///< the axis is periodic
  std::size_t rows() const { return std::size_t(n[0]) * std::size_t(n[1]); }
  std::size_t plane() const { return std::size_t(n[1]) * std::size_t(n[2]); }
  std::size_t cells() const { return rows() * std::size_t(n[2]); }
};

/// Conductances of faces and s of cells, row by row, in the order of memory. The face with number i
/// of an axis lies before cell i; face 0 and face n of an axis are those to the outside or, of a
/// periodic axis, one face between the last cell and the first (0 if these are the same).
template <class V>
struct coefficients {
  grid_shape shape;
  bool shared = false;  ///< rows may be equal: the places of new ones are looked up
  std::vector<V> pool;  ///< begins with a row of n + 1 zeros, the place of all rows that are 0
  std::vector<std::size_t> x;  ///< [plane, row]: n + 1 faces
  std::vector<std::size_t> y;  ///< [plane, face 0 .. n of the axis]
  std::vector<std::size_t> z;  ///< [face 0 .. n of the axis, row]
  std::vector<std::size_t> s;  ///< [plane, row]

  std::size_t row(int k, int j) const {
    return std::size_t(k) * std::size_t(shape.n[1]) + std::size_t(j);
  }
  std::size_t face_y(int k, int j) const {
    return std::size_t(k) * std::size_t(shape.n[1] + 1) + std::size_t(j);
  }
  const V* x_faces(int k, int j) const { return &pool[x[row(k, j)]]; }
  const V* y_faces(int k, int j) const { return &pool[y[face_y(k, j)]]; }
  const V* z_faces(int k, int j) const { return &pool[z[row(k, j)]]; }
  const V* s_cells(int k, int j) const { return &pool[s[row(k, j)]]; }
};

/// Places of rows in a pool. Rows that are made of equal things lie at one place.
template <class V>
class row_places {
 public:
  using key = std::array<std::size_t, 11>;
  row_places(std::vector<V>& pool, bool shared) : pool_(pool), shared_(shared) {}

  /// Where the row of `length` elements is that is made of `k`; fill(V*) makes it the first time.
  template <class F>
  std::size_t place(const key& k, int length, F&& fill) {
    if (shared_)
      if (const auto at = known_.find(k); at != known_.end()) return at->second;
    const std::size_t at = pool_.size();
    pool_.resize(at + std::size_t(length));
    fill(pool_.data() + at);
    if (shared_) known_.emplace(k, at);
    return at;
  }

 private:
  std::vector<V>& pool_;
  bool shared_;
  std::map<key, std::size_t> known_;
};

}  // namespace dwell::grids
