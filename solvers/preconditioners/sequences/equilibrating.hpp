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
#include "dwell/solvers/preconditioners/sequences/unit_steps.hpp"

namespace dwell::sequences {

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
