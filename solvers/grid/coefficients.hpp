// SPDX-License-Identifier: MIT
// An operator on a grid as conductances: A u of a cell is the sum over its faces of w (u - u of the
// neighbour), plus s u. Beyond a side u is 0. Rows with equal coefficients share their memory, so
// that an operator with constant k has some rows in all, which stay in the first-level cache.
#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "dwell/solvers/grid/setup_threads.hpp"

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
  bool shared = false;        ///< rows may be equal: the places of new ones are looked up
  std::size_t elsewhere = 0;  ///< elements of a pool that a GPU has: then `pool` is empty here
  std::vector<V> pool;  ///< begins with a row of n + 1 zeros, the place of all rows that are 0
  std::vector<std::size_t> x;  ///< [plane, row]: n + 1 faces
  std::vector<std::size_t> y;  ///< [plane, face 0 .. n of the axis]
  std::vector<std::size_t> z;  ///< [face 0 .. n of the axis, row]
  std::vector<std::size_t> s;  ///< [plane, row]

  std::size_t elements() const { return pool.empty() ? elsewhere : pool.size(); }
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

/// Places of rows in a pool. Rows that are made of equal things lie at one place, if the operator
/// has such; else each has one of its own, one after the other, and threads fill them.
template <class V>
class row_places {
 public:
  using key = std::array<std::size_t, 8>;
  row_places(std::vector<V>& pool, bool shared) : pool_(pool), shared_(shared) {
    last_.fill(known_.end());
  }
  row_places(const row_places&) = delete;

  /// of(to, n) for n = 0 .. count - 1, in this order of places: to.place(key, length, fill) gives
  /// where the row of `length` elements is that is made of `key`; fill(V*) makes it the first time.
  /// Of rows that are not shared of() is called twice for each n, first for places alone, and fill
  /// by threads. elements: of all rows.
  template <class F>
  void each(std::size_t count, std::size_t elements, F&& of) {
    if (shared_) {
      lookup to{*this};
      for (std::size_t n = 0; n < count; ++n) of(to, n);
      return;
    }
    const int parts = setup_threads(count, elements);
    std::vector<std::size_t> begins(std::size_t(parts), 0);
    counting all{pool_.size()};
    for (int part = 0; part < parts; ++part) {
      begins[std::size_t(part)] = all.next;
      const auto [begin, end] = piece(count, part, parts);
      for (std::size_t n = begin; n < end; ++n) of(all, n);
    }
    pool_.resize(all.next);
    for_parts(parts, [&](int part) {
      filling to{begins[std::size_t(part)], pool_.data()};
      const auto [begin, end] = piece(count, part, parts);
      for (std::size_t n = begin; n < end; ++n) of(to, n);
    });
  }

 private:
  static bool is_same(const key& a, const key& b) {
    std::size_t other = 0;
    for (std::size_t i = 0; i < a.size(); ++i) other |= a[i] ^ b[i];
    return other == 0;
  }
  struct lookup {
    row_places& in;
    template <class F>
    std::size_t place(const key& k, int length, F&& fill) {
      auto& last = in.last_[k[0] % in.last_.size()];  // mostly that of the row before
      if (last != in.known_.end() && is_same(last->first, k)) return last->second;
      const auto [row, is_new] = in.known_.try_emplace(k, in.pool_.size());
      last = row;
      if (!is_new) return row->second;
      in.pool_.resize(row->second + std::size_t(length));
      fill(in.pool_.data() + row->second);
      return row->second;
    }
  };
  struct counting {
    std::size_t next;
    template <class F>
    std::size_t place(const key&, int length, F&&) {
      const std::size_t at = next;
      next += std::size_t(length);
      return at;
    }
  };
  struct filling {
    std::size_t next;
    V* pool;
    template <class F>
    std::size_t place(const key&, int length, F&& fill) {
      const std::size_t at = next;
      next += std::size_t(length);
      fill(pool + at);
      return at;
    }
  };

  std::vector<V>& pool_;
  bool shared_;
  std::map<key, std::size_t> known_;
  /// The row that was asked for last, of each kind: the first word of a key.
  std::array<typename std::map<key, std::size_t>::const_iterator, 8> last_;
};

}  // namespace dwell::grids
