// SPDX-License-Identifier: MIT
// A pass of several ranks: what this one has of it.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/solvers/linear/run/solve_places.hpp"

namespace dwell::solve_pass {

/// A pass that ends with its totals.
template <class Pass>
struct totals_of {
  static constexpr int totals = Pass::totals;
  static_assert(totals <= solve_totals);
  Pass pass;
  double* to;

  DWELL_HD auto constants() const { return pass.constants(); }
  template <class Constants>
  DWELL_HD void element(index i, const Constants& constants, double* acc) const {
    pass.element(i, constants, acc);
  }
  DWELL_HD static void combine(double* to, const double* from) { Pass::combine(to, from); }
  DWELL_HD void conclude(const double* acc) const {
    for (int k = 0; k < totals; ++k) to[k] = acc[k];
  }
};

}  // namespace dwell::solve_pass
