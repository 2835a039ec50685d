// SPDX-License-Identifier: MIT
// Cells of a strip that keep their values: those near fixed sides.
#pragma once
#include "dwell/execution/stencil/engines/ring2d/strips.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"

namespace dwell {

/// Across: cells of a lane.
template <class S, int Across>
struct strip_border {
  int top, bottom;   ///< rows before the one and from the other on
  int first, last;   ///< and columns, counted from the strip's first
  int origin;        ///< column of the strip's first cell
  bool left, right;  ///< the strip is the field's first, its last

  template <class T>
  DWELL_FN static strip_border of(const overlapping_strips& strips, int strip,
                                  const fields_pass<T>& a) {
    constexpr int never = 1 << 30;
    strip_border b{};
    b.origin = strips.origin(strip);
    b.left = !goes_around<S, 1> && strip == 0;
    b.right = !goes_around<S, 1> && strip == strips.count() - 1;
    b.top = is_fixed(0, 0) ? S::radius : -never;
    b.bottom = is_fixed(0, 1) ? a.ny - S::radius : never;
    b.first = is_fixed(1, 0) ? S::radius - b.origin : -never;
    b.last = is_fixed(1, 1) ? a.nx - S::radius - b.origin : never;
    return b;
  }

  static constexpr bool is_fixed(int axis, int side) {
    return S::beyond(0, axis, side) == side_kind::fixed;
  }
  /// Whether cell i of some lane may keep its value.
  template <ring_path Path>
  static constexpr bool may_keep(int i) {
    const bool sides =
        (i < S::radius && is_fixed(1, 0)) || (i >= Across - S::radius && is_fixed(1, 1));
    if (Path == ring_path::rows) return sides || is_fixed(0, 0) || is_fixed(0, 1);
    if (Path == ring_path::any)
      return is_fixed(0, 0) || is_fixed(0, 1) || is_fixed(1, 0) || is_fixed(1, 1);
    return Path == ring_path::sides && sides;
  }
  /// Whether cell i of row y keeps its value.
  template <ring_path Path>
  DWELL_FN bool keeps(int l, int i, int y) const {
    if constexpr (Path == ring_path::plain) return false;
    const int column = l % 32 * Across + i;
    const bool whole = y < top || y >= bottom;
    const bool sides = (is_fixed(1, 0) && i < S::radius && l % 32 == 0 && left) ||
                       (is_fixed(1, 1) && i >= Across - S::radius && l % 32 == 31 && right);
    if constexpr (Path == ring_path::sides) return sides;
    if constexpr (Path == ring_path::rows) return whole || sides;
    return whole || column < first || column >= last;
  }
};

}  // namespace dwell
