// SPDX-License-Identifier: MIT
// A view of compressed sparse rows that somebody else owns. Nothing of the host library.
#pragma once
#include <cstdint>

#include "dwell/base/index.hpp"

namespace dwell {

/// A read-only view of a CSR matrix that somebody else owns.
/// row_ptr has rows + 1 entries; the nonzeros of row i are col[k], val[k] for
/// row_ptr[i] <= k < row_ptr[i + 1]. Offset: the type of row_ptr; std::int64_t for matrices with
/// 2^31 nonzeros and more.
template <class T, class Offset = index>
struct csr_view {
  index rows = 0;                   ///< rows of the matrix
  index cols = 0;                   ///< columns of the matrix
  const Offset* row_ptr = nullptr;  ///< where each row begins, and the end: rows + 1
  const index* col = nullptr;       ///< columns, ascending in each row
  const T* val = nullptr;           ///< values

  /// Stored entries, explicit zeros included.
  Offset nonzeros() const { return rows ? row_ptr[rows] : 0; }
};

/// A view with row pointers of 64 bits.
template <class T>
using large_csr_view = csr_view<T, std::int64_t>;

}  // namespace dwell
