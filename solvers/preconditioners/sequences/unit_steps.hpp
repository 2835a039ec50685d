// SPDX-License-Identifier: MIT
// The steps of equilibrating.hpp, as functors for setup_loops of either backend.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::sequences {

/// Half of a number, rounded down.
DWELL_HD int half_of(int e) { return e >= 0 ? e / 2 : -((1 - e) / 2); }

/// Per row: a power of two about 1 / sqrt(|a_ii|), 0 without a diagonal element, and the range of
/// the diagonal. Of a matrix in either precision.
template <class T>
struct find_powers {
  csr_arrays<T> a;
  double* unit;
  size_range* range;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    const index row = static_cast<index>(i);
    const index k = place_of(a.col, a.row_ptr[row], a.row_ptr[row + 1], row);
    const double d = k < 0 ? 0.0 : std::fabs(static_cast<double>(a.val[k]));
    unit[row] = d > 0.0 ? std::ldexp(1.0, -half_of(std::ilogb(d))) : 0.0;
    if (d > 0.0) add_size(w, *range, d);
  }
};
/// Per row without a diagonal element: the unit of the others.
struct fill_units {
  double* unit;
  double missing;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    if (unit[i] == 0.0) unit[i] = missing;
  }
};
/// Per row: S A S, symmetric to the bit where A is.
template <class T>
struct scale_both {
  csr_arrays<T> a;
  const double* unit;
  double* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k) {
      const index j = a.col[k];
      to[k] = static_cast<double>(a.val[k]) * unit[row < j ? row : j] * unit[row < j ? j : row];
    }
  }
};
/// Per row: S in a unit.
struct put_in_unit {
  double* unit;
  double of_sequence;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    unit[i] *= of_sequence;
  }
};

}  // namespace dwell::sequences
