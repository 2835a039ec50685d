// SPDX-License-Identifier: MIT
// What lies beyond a side of a field, in a header that kernels read, too.
#pragma once

namespace dwell {

/// Kinds of sides. a b c d are the cells next to the border.
enum class side_kind {
  fixed,          ///< the outermost cells, as many as the radius, keep their values
  constant,       ///< a value: k k k k | a b c d
  reflect,        ///< d c b a | a b c d: a mirror on the edge of the first cell
  mirror,         ///< d c b | a b c d: a mirror on the centre of the first cell
  antisymmetric,  ///< -d -c -b -a | a b c d: zero on the edge of the first cell
  nearest,        ///< a a a a | a b c d
  periodic        ///< the other end of the axis; both sides are
};

}  // namespace dwell
