// SPDX-License-Identifier: MIT
// A plain product of matrices, C = A B, whose cells are taken in an order: the second example of
// Prasetya 2022 (4.4), to show what orders do to caches. It is no BLAS: nothing is packed, and a
// cell is a scalar product. Each is one chain of fused multiply-adds along k, so that C has the
// same bits under every order and any number of threads.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dwell/base/parallel.hpp"
#include "dwell/execution/stencil/order/walk.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// Cells of a row that a thread computes side by side, in vector registers: the document's warp.
inline constexpr int product_lanes = 32;

/// `lanes` cells of C from their rows of A and columns of B, of which there are `inner`.
template <int Lanes, class T>
void product_cells(const T* a, const T* b, std::ptrdiff_t b_pitch, int inner, T* c) {
  T sum[Lanes] = {};
  for (int k = 0; k < inner; ++k, b += b_pitch)
    for (int l = 0; l < Lanes; ++l) sum[l] = std::fma(a[k], b[l], sum[l]);
  std::copy_n(sum, Lanes, c);
}

/// A is m x k, B is k x n and C, which is overwritten, m x n. Throws input_error if they are not.
template <class T>
void ordered_product(grid_view<const T> a, grid_view<const T> b, grid_view<T> c,
                     const cell_order& order, int threads) {
  if (a.size != extents(c.size.y, b.size.y) || b.size.x != c.size.x || c.size.dims != 2)
    throw input_error("product: expected A of m x k, B of k x n and C of m x n, found " +
                      to_string(a.size) + ", " + to_string(b.size) + " and " + to_string(c.size));
  const index_map map(order, c.size);
  const int inner = b.size.y;
  for_parts(threads, [&](int part) {
    order_walk walk(map, part, threads);
    for (row_run run; walk.next(run);)
      for (int y = run.first.y; y < run.first.y + run.rows; ++y) {
        const int end = run.first.x + run.width;
        int x = run.first.x;
        for (; x + product_lanes <= end; x += product_lanes)
          product_cells<product_lanes>(&a(y, 0), &b(0, x), b.size.x, inner, &c(y, x));
        for (; x < end; ++x) product_cells<1>(&a(y, 0), &b(0, x), b.size.x, inner, &c(y, x));
      }
  });
}

}  // namespace dwell
