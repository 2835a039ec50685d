// SPDX-License-Identifier: MIT
// The extreme elements of every system's diagonal, as a step of set-up for both backends
// (execution/team/setup_cpu.hpp): a warp takes a system, its lanes the rows.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/solvers/linear/batch/batch_places.hpp"
#include "dwell/solvers/linear/check/validate_steps.hpp"

namespace dwell::validating {

template <class T>
struct find_diagonal_ranges {
  cutting::csr_pattern a;
  const T* val;
  const index* first_rows;
  diagonal_range* to;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t system, std::int64_t end,
                           std::int64_t step) const {
    for (; system < end; system += step) {
      const index first = first_rows[system], last = first_rows[system + 1];
      double least = 0, most = 0;
      if (first < last) least = most = static_cast<double>(val[find(a, first, first)]);
      for (index row = first + w.lane(); row < last; row += Warp::lanes) {
        const double here = static_cast<double>(val[find(a, row, row)]);
        least = cutting::smaller(least, here);
        most = cutting::larger(most, here);
      }
      least = w.least(least);
      most = w.most(most);
      if (w.lane() == 0) to[system] = {least, most};
    }
  }
};

}  // namespace dwell::validating
