// SPDX-License-Identifier: MIT
// Every second cell of an axis is a coarse one: where each lies, and what is between them.
#pragma once
#include "dwell/base/fn.hpp"

namespace dwell::grids {

/// The cells of an axis and the coarse ones among them. Cells 1, 3, 5, ... are coarse and those
/// between them not; of a ring of an odd number the last one is coarse too.
struct halved_axis {
  int n = 1;            ///< cells
  bool wraps = false;   ///< they are a ring
  bool halved = false;  ///< else all cells are coarse

  DWELL_HD bool odd_ring() const { return halved && wraps && n % 2 == 1; }
  DWELL_HD int coarse() const { return !halved ? n : odd_ring() ? (n + 1) / 2 : n / 2; }
  DWELL_HD int between() const { return !halved ? 0 : odd_ring() ? (n - 1) / 2 : (n + 1) / 2; }
  /// The coarse cell's own cell.
  DWELL_HD int centre(int c) const { return !halved ? c : 2 * c + 1 < n ? 2 * c + 1 : n - 1; }
  DWELL_HD bool is_coarse(int i) const {
    return !halved || i % 2 == 1 || (odd_ring() && i == n - 1);
  }
  DWELL_HD int coarse_at(int i) const {
    return !halved ? i : odd_ring() && i == n - 1 ? coarse() - 1 : i / 2;
  }
  /// The cells between a coarse cell and its neighbours, before and after it; -1 if there is none.
  DWELL_HD int before(int c) const { return halved && c < between() ? 2 * c : -1; }
  DWELL_HD int after(int c) const {
    if (!halved) return -1;
    const int next = c + 1 < coarse() ? c + 1 : wraps ? 0 : c + 1;
    return next < between() ? 2 * next : -1;
  }
  /// The coarse cells before and after a cell that is between them; -1 if there is none.
  DWELL_HD int coarse_before(int i) const { return i > 0 ? i / 2 - 1 : wraps ? coarse() - 1 : -1; }
  DWELL_HD int coarse_after(int i) const { return i / 2 < coarse() ? i / 2 : -1; }
};

}  // namespace dwell::grids
