// SPDX-License-Identifier: MIT
// The units of a matrix as a sequence of loops, for setup_loops of either backend. Included by the
// files that do it on one.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "dwell/solvers/preconditioners/sequences/equilibrated.hpp"
#include "dwell/solvers/preconditioners/sequences/set_up.hpp"

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

template <class Loops>
class equilibration : set_up<Loops> {
  using base = set_up<Loops>;
  using base::fetched, base::loops, base::where;

 public:
  using base::base;

  template <class T>
  void find(const csr_arrays<T>& a, bool with_values, matrix_units& to) const {
    to.rows = a.rows;
    if (!to.units)
      to.units = std::make_shared<buffer<double>>(this->template allocated<double>(a.rows));
    double* const unit = to.units->data();
    buffer<size_range> range(where, 1);
    loops.items(a.rows, rows_per_thread, find_powers<T>{a, unit, range.data()});
    const size_range found = fetched(range.data());
    to.spread = found.most == 0 ? 0 : found.most + found.least - 2 * size_range::bias;
    if (!with_values && !to.wide()) return;
    const int middle = half_of(base::middle_of(found));
    loops.items(a.rows, rows_per_thread, fill_units{unit, std::ldexp(1.0, -middle)});
    if (to.val.size() == 0) to.val = this->template allocated<double>(a.nonzeros);
    loops.items(a.rows, rows_per_thread, scale_both<T>{a, unit, to.val.data()});
    const int largest = found.most == 0 ? 0 : -half_of(size_range::bias - found.least);
    const int of_sequence = std::min(middle, matrix_units::most_unit - largest);
    loops.items(a.rows, rows_per_thread, put_in_unit{unit, std::ldexp(1.0, of_sequence)});
    memory_of(where.on()).finish(where);
  }
};

}  // namespace dwell::sequences
