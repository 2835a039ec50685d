// SPDX-License-Identifier: MIT
// Private to distributed: where the rows of a rank begin, so that each has about as many rows and
// nonzeros, from row pointers that are anywhere.
#pragma once
#include <cstdint>

namespace dwell {

/// row_ptr(i): stored entries of the rows before i, 0 to `rows`, ascending; it is asked for a few
/// dozen rows. The first row of rank r, which is `rows` for r = ranks; `low`: no earlier than this.
template <class RowPtr>
std::int64_t balanced_first_row(std::int64_t rows, std::int64_t nonzeros, int r, int ranks,
                                RowPtr&& row_ptr, std::int64_t low = 0) {
  if (r >= ranks) return rows;
  const std::int64_t work = rows + nonzeros;
  const std::int64_t wanted = work / ranks * r + work % ranks * r / ranks;
  std::int64_t high = rows;
  while (low < high) {  // the first row that begins at `wanted` or later
    const std::int64_t middle = low + (high - low) / 2;
    if (middle + row_ptr(middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace dwell
