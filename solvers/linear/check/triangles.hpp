// SPDX-License-Identifier: MIT
// How a matrix lies about its diagonal. Private to the solvers.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dwell/base/index.hpp"
#include "dwell/base/sampled_rows.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"

namespace dwell {

/// The part, 0 to 0.5, of the magnitude beside the diagonal that lies in the lighter one of the two
/// triangles; all rows count alike, whatever they are multiplied by. 0: a triangular matrix; 0.5 of
/// a symmetric one, and where there is nothing beside the diagonal. Of many rows some 65,000 are
/// looked at. Arrays of the host.
template <class T>
double part_in_lighter_triangle(const large_csr_arrays<T>& a) {
  constexpr index most_rows = 1 << 16;
  double lower = 0, upper = 0;
  each_sampled_row(a.rows, most_rows, [&](index i) {
    double below = 0, above = 0;
    const csr_row<T> row = a.row(i);
    for (index k = 0; k < row.count; ++k) {
      const double v = std::abs(static_cast<double>(row.val[k]));
      if (row.col[k] < i) below += v;
      if (row.col[k] > i) above += v;
    }
    if (!(below + above > 0) || !std::isfinite(below + above)) return;
    lower += below / (below + above);
    upper += above / (below + above);
  });
  return lower + upper > 0 ? std::min(lower, upper) / (lower + upper) : 0.5;
}

}  // namespace dwell
