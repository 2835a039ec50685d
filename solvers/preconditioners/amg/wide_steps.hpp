// SPDX-License-Identifier: MIT
// The steps of wide_values.hpp, as functors for setup_loops of either backend.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/row_weights.hpp"

namespace dwell::amg {

/// Raised where a row sums to more than its rounding explains.
template <class T>
struct find_sums_beyond_rounding {
  csr_arrays<T> a;
  index* beyond;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    const index row = static_cast<index>(i), begin = a.row_ptr[row],
                count = a.row_ptr[row + 1] - begin;
    if (!validating::weigh_row(a.col + begin, a.val + begin, row, count).zero_sum)
      w.raise(*beyond, index{1});
  }
};

/// Diagonal elements with which rows sum to zero.
template <class T>
struct balance_diagonal {
  csr_arrays<T> a;
  double* val;  ///< in place of those of a
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i), end = a.row_ptr[row + 1];
    index diagonal = -1;
    double others = 0.0;
    for (index k = a.row_ptr[row]; k < end; ++k)
      if (a.col[k] == row)
        diagonal = k;
      else
        others += val[k];
    if (diagonal >= 0) val[diagonal] = -others;
  }
};

}  // namespace dwell::amg
