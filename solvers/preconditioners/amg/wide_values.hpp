// SPDX-License-Identifier: MIT
// Values of f32 as a hierarchy takes them: in f64, and with rows that sum to zero where rounding
// alone keeps them from it. Coarse levels have smaller elements and the rounding of the finest, of
// either sign, which would make them indefinite.
#pragma once
#include <cstdint>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/amg/multiplying.hpp"
#include "dwell/solvers/preconditioners/row_weights.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

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

/// constants: the constant vector is what coarse levels hold.
template <class Loops, class T>
buffer<double> wide_values(const Loops& loops, const device& where, const csr_arrays<T>& a,
                           bool constants) {
  buffer<double> val(where, static_cast<std::size_t>(a.nonzeros), fresh::unset);
  loops.items(a.nonzeros, rows_per_thread, sequences::widen_values<T>{a.val, val.data()});
  if (!constants) return val;
  const buffer<index> beyond(where, 1);
  loops.items(a.rows, rows_per_thread, find_sums_beyond_rounding<T>{a, beyond.data()});
  index found = 0;
  loops.fetch(&found, beyond.data(), sizeof found);
  if (found == 0) loops.items(a.rows, rows_per_thread, balance_diagonal<T>{a, val.data()});
  return val;
}

}  // namespace dwell::amg
