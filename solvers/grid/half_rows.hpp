// SPDX-License-Identifier: MIT
// Rows whose cells with even numbers lie before those with odd ones. Neighbours along x of one half
// are the other half, along y and z the same half of other rows. So a colour of a red-black order
// is one half of each row, contiguous, and so are the coarse cells of a row.
#pragma once
#include <algorithm>
#include <cstddef>

#include "dwell/solvers/grid/coefficients.hpp"
#include "dwell/solvers/grid/row_product.hpp"

namespace dwell::grids {

inline int evens_of(int n) { return (n + 1) / 2; }

/// From the order of memory of the caller to halves, and back.
template <class To, class From>
void split_row(const From* from, To* to, int n) {
  const int evens = evens_of(n), odds = n / 2;
  for (int i = 0; i < odds; ++i) to[i] = To(from[2 * i]), to[evens + i] = To(from[2 * i + 1]);
  if (n % 2) to[evens - 1] = To(from[n - 1]);
}
template <class To, class From>
void join_row(const From* from, To* to, int n) {
  const int evens = evens_of(n), odds = n / 2;
  for (int i = 0; i < odds; ++i) to[2 * i] = To(from[i]), to[2 * i + 1] = To(from[evens + i]);
  if (n % 2) to[n - 1] = To(from[evens - 1]);
}

/// Cells [first, last) of a half of a row: put(cell of the row, sum of term(w, u of the neighbour,
/// cell)) over their faces. The rows of `a`, of u, and zeros are halved.
template <class V, class Term, class Put>
void half_row(const coefficients<V>& a, const V* u, const V* zeros, int k, int j, bool odd,
              int first, int last, Term&& term, Put&& put) {
  const grid_shape& g = a.shape;
  const int n = g.n[x_axis], evens = evens_of(n), odds = n / 2;
  const row_neighbours<V> r(g, u, zeros, k, j);
  const V *const ue = r.own, *const uo = ue + evens;
  const V *const fe = a.x_faces(k, j), *const fo = fe + n / 2 + 1;
  const int at = odd ? evens : 0;
  const V *const lo_w = odd ? fo : fe, *const hi_w = odd ? fe + 1 : fo;
  const V *const z0 = a.z_faces(k, j) + at, *const z1 = a.z_faces(k + 1, j) + at;
  const V *const y0 = a.y_faces(k, j) + at, *const y1 = a.y_faces(k, j + 1) + at;
  const V *const bz = r.before_z + at, *const az = r.after_z + at;
  const V *const by = r.before_y + at, *const ay = r.after_y + at;
  const auto cell = [&](int i, V lo, V hi) {
    const int c = at + i;
    put(c, (term(lo_w[i], lo, c) + term(hi_w[i], hi, c)) +
               (term(z0[i], bz[i], c) + term(z1[i], az[i], c)) +
               (term(y0[i], by[i], c) + term(y1[i], ay[i], c)));
  };
  const bool ring = g.wraps[x_axis] && n > 1;
  const V before_first = !ring ? V(0) : n % 2 ? ue[evens - 1] : uo[odds - 1];
  const V after_last = ring ? ue[0] : V(0);
  const int begin = odd ? 0 : 1;
  const int end = odd ? (n % 2 ? odds : odds - 1) : (n % 2 ? evens - 1 : evens);
  if (!odd && first == 0 && last > 0) cell(0, before_first, odds ? uo[0] : V(0));
  const int from = std::max(first, begin), to = std::min(last, end);
  const V *const lo = odd ? ue : uo - 1, *const hi = odd ? ue + 1 : uo;
  if (g.n[y_axis] == 1) {  // nothing but walls along y, beyond which u is 0
    const V nothing(0);
    DWELL_INDEPENDENT
    for (int i = from; i < to; ++i) {
      const int c = at + i;
      put(c, (term(lo_w[i], lo[i], c) + term(hi_w[i], hi[i], c)) +
                 (term(z0[i], bz[i], c) + term(z1[i], az[i], c)) +
                 (term(y0[i], nothing, c) + term(y1[i], nothing, c)));
    }
  } else {
    DWELL_INDEPENDENT
    for (int i = from; i < to; ++i) {
      const int c = at + i;
      put(c, (term(lo_w[i], lo[i], c) + term(hi_w[i], hi[i], c)) +
                 (term(z0[i], bz[i], c) + term(z1[i], az[i], c)) +
                 (term(y0[i], by[i], c) + term(y1[i], ay[i], c)));
    }
  }
  if (odd && n % 2 == 0 && last == odds && odds > 0) cell(odds - 1, ue[odds - 1], after_last);
  if (!odd && n % 2 && evens > 1 && last == evens) cell(evens - 1, uo[evens - 2], after_last);
}

/// The sum of products of two rows, in an order of its own that vectors have.
template <class A, class B>
double row_dot(const A* a, const B* b, int n) {
  constexpr int lanes = 16;
  double sum[lanes] = {};
  int i = 0;
  for (; i + lanes <= n; i += lanes)
    for (int l = 0; l < lanes; ++l) sum[l] += double(a[i + l]) * double(b[i + l]);
  for (int l = 0; i + l < n; ++l) sum[l] += double(a[i + l]) * double(b[i + l]);
  for (int h = lanes / 2; h > 0; h /= 2)
    for (int l = 0; l < h; ++l) sum[l] += sum[l + h];
  return sum[0];
}

}  // namespace dwell::grids
