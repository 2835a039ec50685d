// SPDX-License-Identifier: MIT
// Whether given vectors are near the null space of a matrix, as a functor for setup_loops of either
// backend.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"
#include "dwell/solvers/preconditioners/amg/strength_steps.hpp"

namespace dwell::amg {

/// A row fits a vector up to this share of |A| |z|. Rigid-body modes leave rounding, but where a
/// boundary condition holds the body; vectors that are none leave 0.05 and more, the less the
/// longer the row is.
inline constexpr double largest_of_fit = 0.01;
/// A vector does not fit if more than this share of the rows where it is not zero does not.
inline constexpr double most_rows_apart = 0.5;

/// Rows that are none or few where a vector fits: threads count them together.
struct fit_of_vector {
  index apart = 0;      ///< do not fit it
  index untouched = 0;  ///< have nothing of it: it is zero there and beside them
  /// Share of the other rows that do not fit, 1 if there are none.
  double share_apart(index rows) const {
    return rows > untouched ? static_cast<double>(apart) / (rows - untouched) : 1.0;
  }
};

/// Per row: whether A z is small there beside |A| |z|, for one vector.
struct count_rows_apart {
  graph a;
  const double* z;
  fit_of_vector* to;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    const index row = static_cast<index>(i);
    double sum = 0.0, size = 0.0;
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k) {
      const double term = a.val[k] * z[a.col[k]];
      sum += term;
      size += std::fabs(term);
    }
    if (!(size > 0.0))
      w.add(to->untouched, index(1));
    else if (!(std::fabs(sum) <= largest_of_fit * size))
      w.add(to->apart, index(1));
  }
};

}  // namespace dwell::amg
