// SPDX-License-Identifier: MIT
// The sizes of warps' fully cached subdomains in two dimensions.
#pragma once
#include "dwell/base/cell_piece.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// Rows in registers: as many as do not spill, and one or two more where the sizes of the PERKS
/// artifact need them.
template <class S>
constexpr int strip_register_rows() {
  constexpr int r = radius_of<S>;
  if constexpr (!is_star<S>) return r == 1 ? 21 : 14;
  return r == 1 ? 23 : r == 2 ? 19 : r == 3 ? 14 : r == 4 ? 10 : r == 5 ? 9 : 6;
}
/// Rows, the last ones, that live in the field, where others read them anyway.
template <class S>
inline constexpr int strip_field_rows = radius_of<S> > 5 ? 0 : radius_of<S>;

/// Pieces that a warp fetches beyond an end of a row; rows of a group, whose pieces are fetched
/// together; and values of scratch, for each warp, for the pieces of one group and of the next.
template <class S, class T>
inline constexpr int strip_halo_pieces =
    (radius_of<S> + cell_piece<T>::size - 1) / cell_piece<T>::size;
template <class S>
inline constexpr int strip_halo_rows = is_star<S> ? 4 : 8;
template <class S, class T>
inline constexpr int strip_halo_values =
    4 * strip_halo_rows<S>* strip_halo_pieces<S, T>* cell_piece<T>::size;

}  // namespace dwell
