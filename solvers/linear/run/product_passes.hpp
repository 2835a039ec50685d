// SPDX-License-Identifier: MIT
// A product and its norm, row by row, for both backends: whether the matrix takes a vector to zero.
#pragma once
#include "dwell/solvers/linear/run/solve_passes.hpp"

namespace dwell::solve_pass {

/// Element of row `i` of A v, or of |A| |v|, by eight lanes.
template <class T>
struct product_row {
  static constexpr int lanes = 8, sums = 1;
  product_places<T> at;
  bool magnitudes;

  DWELL_HD power_of_two constants() const { return power_of_two(at.exponent); }
  DWELL_HD void part(index i, int lane, const power_of_two& scale, double* sum) const {
    sum[0] = 0;
    const csr_row<T> row = at.a.row(i);
    for (index k = lane; k < row.count; k += lanes) {
      const double one = scale(row.val[k]) * at.v[row.col[k]];
      sum[0] += magnitudes ? std::fabs(one) : one;
    }
  }
  DWELL_HD void put(index i, const power_of_two&, const double* sum) const {
    at.product[i] = sum[0];
  }
};

/// The square of the norm of a product.
template <class T>
struct square_of_product : sums<1> {
  product_places<T> at;
  bool magnitudes;

  DWELL_HD int constants() const { return 0; }
  DWELL_HD void element(index i, int, double* acc) const {
    acc[0] += at.product[i] * at.product[i];
  }
  DWELL_HD void conclude(const double* acc) const { at.squares[magnitudes ? 1 : 0] = acc[0]; }
};

}  // namespace dwell::solve_pass
