// SPDX-License-Identifier: MIT
// A cell that is eliminated between two coarse ones, along one axis.
#pragma once
#include "dwell/base/fn.hpp"

namespace dwell::grids {

/// Weights of the faces before and after a cell, and their series; s leaves the cell.
template <class V>
struct elimination {
  V before, after, series;
  DWELL_HD elimination(V a, V b, V s) {
    const V sum = a + b + s;
    const V by = sum > V(0) ? V(1) / sum : V(0);
    before = a * by;
    after = b * by;
    series = a * after;
  }
};

/// Where a cell that is eliminated lies between coarse cells with weights w, and its neighbour
/// across with other ones, a difference of the coarse cells is a difference of these two, with the
/// energy t (w - w')^2. It is added to the series of both. (Without it a coarse operator may be too
/// weak by any factor, and the cycle not be definite.) Operators whose rows are shared have no such
/// places.
template <class V>
DWELL_HD V shear(V t, V w, V other) {
  return t * (w - other) * (w - other);
}

/// A row inside a ring of `count`, or the nearest one.
DWELL_HD int inside(int i, int count, bool wraps) {
  return i < 0 ? (wraps ? count - 1 : 0) : i == count ? (wraps ? 0 : count - 1) : i;
}

}  // namespace dwell::grids
