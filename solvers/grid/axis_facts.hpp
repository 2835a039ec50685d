// SPDX-License-Identifier: MIT
// What decides about levels: sums and extremes of conductances along each axis, in an order that
// does not depend on who adds them up.
#pragma once
#include "dwell/base/fn.hpp"

namespace dwell::grids {

/// Facts of faces between cells, along z, y, x. Those of ranks are added up, in their order.
struct axis_facts {
  double sum[3] = {}, faces[3] = {};   ///< sums of conductances
  double least[3] = {}, most[3] = {};  ///< 0 where there are none

  DWELL_HD void add(const axis_facts& other) {
    for (int m = 0; m < 3; ++m) {
      if (!(other.faces[m] > 0)) continue;
      least[m] = faces[m] > 0 && least[m] < other.least[m] ? least[m] : other.least[m];
      most[m] = faces[m] > 0 && most[m] > other.most[m] ? most[m] : other.most[m];
      sum[m] += other.sum[m];
      faces[m] += other.faces[m];
    }
  }
  /// Those along an axis, which has none yet: of(i) for i = from .. n - 1.
  template <class Of>
  DWELL_HD void take_row(int axis, int from, int n, Of&& of) {
    double all = 0;
    auto low = of(from), high = low;
    for (int i = from; i < n; ++i) {
      const auto v = of(i);
      all += static_cast<double>(v);
      low = v < low ? v : low;
      high = high < v ? v : high;
    }
    sum[axis] = all;
    faces[axis] = n - from;
    least[axis] = static_cast<double>(low);
    most[axis] = static_cast<double>(high);
  }
};
/// Rows are added up by so many, one after the other, then their sums, until there is one.
inline constexpr int facts_together = 32;

}  // namespace dwell::grids
