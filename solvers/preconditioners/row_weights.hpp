// SPDX-License-Identifier: MIT
// What the elements of one row are together: whether they sum to zero up to rounding, and their
// signs.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"

namespace dwell::validating {

/// Elements of the longest rows whose signs are looked at.
inline constexpr index longest_row_weighed = 4096;

/// What the elements of a row are together: in their order, so with the same bits everywhere.
struct row_weights {
  bool zero_sum;  ///< up to rounding
  bool mixed;     ///< more than a twentieth of the magnitude beside the diagonal is positive
};
template <class T>
DWELL_FN row_weights weigh_row(const index* col, const T* val, index row, index count) {
  constexpr double rounding = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  double sum = 0, size = 0, beside = 0, positive = 0;
  for (index k = 0; k < count; ++k) {
    const double v = static_cast<double>(val[k]), magnitude = v < 0 ? -v : v;
    sum += v;
    size += magnitude;
    if (col[k] == row) continue;
    beside += magnitude;
    if (v > 0) positive += magnitude;
  }
  return {size > 0 && (sum < 0 ? -sum : sum) <= count * rounding * size,
          count <= longest_row_weighed && positive > 0.05 * beside};
}

}  // namespace dwell::validating
