// SPDX-License-Identifier: MIT
// The steps of the set-up of Chebyshev polynomials, as functors for setup_loops of either backend:
// Lanczos' iteration on D^-1/2 A D^-1/2, and the matrices of the sequence. Sums over a vector are
// taken in pieces of a fixed number of elements, so that both backends give the same bits.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::chebyshev {

using sequences::rows_f64;

/// Elements that one lane adds up.
inline constexpr index sum_piece = 64;

/// Per element: one of either sign and of size 1/2 to 1, the same on every machine.
struct begin_lanczos {
  double* v;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    std::uint32_t h = static_cast<std::uint32_t>(i) * 2654435769u;
    h ^= h >> 16;
    h *= 2246822519u;
    h ^= h >> 13;
    h *= 3266489917u;
    h ^= h >> 16;
    const double size = 0.5 + static_cast<double>(h >> 8) * 0x1p-25;
    v[i] = h & 1 ? size : -size;
  }
};
/// Per row: w = D^-1/2 A D^-1/2 v - beta before.
struct multiply_scaled {
  rows_f64 a;
  const double* root;
  const double* v;
  const double* before;
  double beta;
  double* w;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t row) const {
    double sum = 0.0;
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      const index j = a.col[k];
      sum = std::fma(a.val[k] * root[row] * root[j], v[j], sum);
    }
    w[row] = std::fma(-beta, before[row], sum);
  }
};
/// Per piece: the sum of x y.
struct sum_products {
  const double* x;
  const double* y;
  index n;
  double* partial;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t piece) const {
    const std::int64_t begin = piece * sum_piece;
    double sum = 0.0;
    for (index k = 0; k < sum_piece && begin + k < n; ++k)
      sum = std::fma(x[begin + k], y[begin + k], sum);
    partial[piece] = sum;
  }
};
/// Per element: w -= alpha v.
struct subtract_multiple {
  double alpha;
  const double* v;
  double* w;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    w[i] = std::fma(-alpha, v[i], w[i]);
  }
};
/// Per element: w *= factor.
struct multiply_by {
  double factor;
  double* w;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    w[i] *= factor;
  }
};

/// Bounds of the rows, as the bits of doubles, which order positive numbers: Gershgorin's bounds of
/// the eigenvalues of D^-1 A, from that matrix and from D^-1/2 A D^-1/2.
struct row_bounds {
  std::uint64_t by_row = 0, scaled = 0;
};
struct find_bounds {
  rows_f64 a;
  const double* root;
  row_bounds* bounds;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t row) const {
    double plain = 0.0, scaled = 0.0;
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      const double v = std::fabs(a.val[k]) * root[row];
      plain = std::fma(v, root[row], plain);
      scaled = std::fma(v, root[a.col[k]], scaled);
    }
    w.raise(bounds->by_row, bits_of(plain));
    w.raise(bounds->scaled, bits_of(scaled));
  }
  DWELL_FN static std::uint64_t bits_of(double v) {
    union {
      double d;
      std::uint64_t u;
    } bits{v};
    return bits.u;
  }
};

/// Per row: theta I - D^-1 A; in `first` 2 rho_2 / delta (I + (theta I - D^-1 A) / theta) D^-1,
/// which makes z_2 of the input; and D^-1. The last two in the unit of the result.
struct fill_matrices {
  rows_f64 a;
  const double* root;
  double theta, unit_root, scale;
  double* shifted;
  double* first;
  double* inverse;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    const double own = root[row], in_unit = own * unit_root;
    inverse[row] = in_unit * in_unit;
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      const index j = a.col[k];
      const double v = j == row ? 1.0 : a.val[k] * own * root[j];
      const double other = root[j] * unit_root;
      shifted[k] = j == row ? theta - 1.0 : -(a.val[k] * own * own);
      first[k] = (j == row ? 2.0 - v / theta : -v / theta) * scale * in_unit * other;
    }
  }
};

}  // namespace dwell::chebyshev
