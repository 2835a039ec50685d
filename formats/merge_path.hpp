// SPDX-License-Identifier: MIT
// The merge path of a CSR matrix (Merrill and Garland, "Merge-based parallel sparse matrix-vector
// multiplication", SC 2016): rows + nonzeros form one list of work items, "end of row i" and
// "nonzero k", in the order in which a serial SpMV meets them. Any cut of that list is found by a
// binary search along a diagonal, so equal shares cost nothing, whatever the row lengths.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/formats/csr_view.hpp"

namespace dwell {

/// A point on the merge path: row ends and nonzeros that lie before it.
struct merge_coordinate {
  index row = 0;
  std::int64_t nonzero = 0;
  friend bool operator==(const merge_coordinate&, const merge_coordinate&) = default;
};

/// The point with row + nonzero == diagonal. `row_end[i]` is row_ptr[i + 1]; 0 <= diagonal <=
/// rows + nonzeros. The end of a row comes after its last nonzero (SC 2016, algorithm 2).
template <class Ends>
DWELL_HD merge_coordinate merge_path_search(std::int64_t diagonal, const Ends& row_end, index rows,
                                            std::int64_t nonzeros) {
  index lo = diagonal > nonzeros ? static_cast<index>(diagonal - nonzeros) : 0;
  index hi = diagonal < rows ? static_cast<index>(diagonal) : rows;
  while (lo < hi) {
    const index middle = lo + (hi - lo) / 2;
    if (row_end[middle] <= diagonal - middle - 1)
      lo = middle + 1;
    else
      hi = middle;
  }
  return {lo, diagonal - lo};
}

/// Where share `part` of `parts` equal shares of the merge path begins; part == parts gives the
/// end. The first (rows + nonzeros) % parts shares are one item longer.
DWELL_HD std::int64_t merge_share(std::int64_t items, int part, int parts) {
  const std::int64_t each = items / parts, rest = items % parts;
  return each * part + (part < rest ? part : rest);
}

}  // namespace dwell
