// SPDX-License-Identifier: MIT
// Groups of rows without couplings among each other, in whose order a matrix can be factorized and
// triangular systems solved with all rows of a group at once (Saad 2003, sections 11.6 and 12.4).
// Private to the solvers.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "dwell/base/index.hpp"

namespace dwell::ilu0 {

struct row_groups {
  std::vector<index> group;  ///< number of the group that each row is in
  index count = 0;
  bool levels = false;  ///< groups are levels, else colours
};

/// Rows and columns of a sparse matrix, without values.
struct pattern {
  std::span<const index> begin, column;
  std::span<const index> rows(index i) const {
    const auto first = static_cast<std::size_t>(begin[static_cast<std::size_t>(i)]);
    const auto last = static_cast<std::size_t>(begin[static_cast<std::size_t>(i) + 1]);
    return column.subspan(first, last - first);
  }
};

/// Levels: a row comes after all rows before it that it is coupled with, in either direction, so
/// that factors are those of the given order of the rows. Where there are more than 128, with less
/// than 32 rows on average, and colours are fewer: a row has the least colour that no row before
/// it, coupled with it, has. `to`, `from`: the rows of a pattern and of its transpose, columns in
/// rising order.
row_groups group_rows(index rows, const pattern& to, const pattern& from);

}  // namespace dwell::ilu0
