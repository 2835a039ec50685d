// SPDX-License-Identifier: MIT
// Shares of warps that are on the chip whole in two dimensions (resident_rows.hpp), in numbers.
#pragma once
#include "dwell/execution/core/cell_piece.hpp"
#include "dwell/execution/core/sweep.hpp"

namespace dwell {

/// Rows in registers: as many as do not spill, and one or two more where the sizes of the PERKS
/// artifact need them.
template <class S>
constexpr int resident_rows_kept() {
  constexpr int r = radius_of<S>;
  if constexpr (!is_star<S>) return r == 1 ? 21 : 14;
  return r == 1 ? 23 : r == 2 ? 19 : r == 3 ? 14 : r == 4 ? 10 : r == 5 ? 9 : 6;
}
/// Rows, the last ones, that live in the field, where others read them anyway.
template <class S>
inline constexpr int resident_rows_shown = radius_of<S> > 5 ? 0 : radius_of<S>;

/// Pieces that a warp fetches of what lies beyond an end of a row, rows of which they travel
/// together, and values of scratch, for each warp, in which such rows are and others arrive.
template <class S, class T>
inline constexpr int resident_pieces_beside =
    (radius_of<S> + cell_piece<T>::size - 1) / cell_piece<T>::size;
template <class S>
inline constexpr int resident_sides_together = is_star<S> ? 4 : 8;
template <class S, class T>
inline constexpr int resident_side_values =
    4 * resident_sides_together<S>* resident_pieces_beside<S, T>* cell_piece<T>::size;

}  // namespace dwell
