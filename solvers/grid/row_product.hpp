// SPDX-License-Identifier: MIT
// A row of A u, in the order of memory. Differences keep A times a constant vector at exactly 0.
#pragma once
#include <cstddef>

#include "dwell/solvers/grid/coefficients.hpp"

namespace dwell::grids {

/// Iterations of the loop that follows do not depend on each other.
#if defined(__GNUC__) && !defined(__clang__)
#define DWELL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define DWELL_INDEPENDENT
#endif

/// The rows around a row of `u`: those beyond a side are zeros.
template <class T>
struct row_neighbours {
  const T *own, *before_y, *after_y, *before_z, *after_z;

  row_neighbours(const grid_shape& g, const T* u, const T* zeros, int k, int j) {
    const int nz = g.n[0], ny = g.n[1], nx = g.n[2];
    const auto at = [&](int plane, int row) {
      return u + (std::size_t(plane) * std::size_t(ny) + std::size_t(row)) * std::size_t(nx);
    };
    own = at(k, j);
    before_y = j > 0 ? at(k, j - 1) : g.wraps[y_axis] ? at(k, ny - 1) : zeros;
    after_y = j < ny - 1 ? at(k, j + 1) : g.wraps[y_axis] ? at(k, 0) : zeros;
    before_z = k > 0 ? at(k - 1, j) : g.wraps[z_axis] ? at(nz - 1, j) : zeros;
    after_z = k < nz - 1 ? at(k + 1, j) : g.wraps[z_axis] ? at(0, j) : zeros;
  }
};

/// put(i, (A u)_i) for the cells of a row. zeros: a row of them.
template <class T, class Put>
void row_product(const coefficients<T>& a, const T* u, const T* zeros, int k, int j, Put&& put) {
  const grid_shape& g = a.shape;
  const int n = g.n[x_axis];
  const row_neighbours<T> r(g, u, zeros, k, j);
  const T* const x = a.x_faces(k, j);
  const T* const s = a.s_cells(k, j);
  const T *const z0 = a.z_faces(k, j), *const z1 = a.z_faces(k + 1, j);
  const T *const y0 = a.y_faces(k, j), *const y1 = a.y_faces(k, j + 1);
  const auto cell = [&](int i, T before, T after) {
    const T v = r.own[i];
    T sum = x[i] * (v - before) + x[i + 1] * (v - after);
    sum += z0[i] * (v - r.before_z[i]) + z1[i] * (v - r.after_z[i]);
    sum += y0[i] * (v - r.before_y[i]) + y1[i] * (v - r.after_y[i]);
    put(i, sum + s[i] * v);
  };
  const bool wraps = g.wraps[x_axis];
  const T first = wraps ? r.own[n - 1] : T(0), last = wraps ? r.own[0] : T(0);
  if (n == 1) return cell(0, first, last);
  cell(0, first, r.own[1]);
  if (g.n[y_axis] == 1 && !g.wraps[y_axis]) {
    // Planes of one row: what its y faces have are walls, in the sum of both.
    DWELL_INDEPENDENT
    for (int i = 1; i < n - 1; ++i) {
      const T v = r.own[i];
      T sum = x[i] * (v - r.own[i - 1]) + x[i + 1] * (v - r.own[i + 1]);
      sum += z0[i] * (v - r.before_z[i]) + z1[i] * (v - r.after_z[i]);
      sum += y0[i] * v + y1[i] * v;
      put(i, sum + s[i] * v);
    }
  } else {
    DWELL_INDEPENDENT
    for (int i = 1; i < n - 1; ++i) cell(i, r.own[i - 1], r.own[i + 1]);
  }
  cell(n - 1, r.own[n - 2], last);
}

}  // namespace dwell::grids
