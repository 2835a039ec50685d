// SPDX-License-Identifier: MIT
// Compressed sparse rows with 32-bit indices: an owning matrix, a view of anybody's arrays, and the
// checks that both must pass before a solver touches them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dwell {

/// Row and column numbers and positions of nonzeros: 0-based, at most 2^31 - 1.
using index = std::int32_t;

/// A read-only view of a CSR matrix that somebody else owns.
/// row_ptr has rows + 1 entries; the nonzeros of row i are col[k], val[k] for
/// row_ptr[i] <= k < row_ptr[i + 1].
template <class T>
struct csr_view {
  index rows = 0;
  index cols = 0;
  const index* row_ptr = nullptr;
  const index* col = nullptr;
  const T* val = nullptr;

  /// Stored entries, explicit zeros included.
  index nonzeros() const { return rows ? row_ptr[rows] : 0; }
};

/// An owning CSR matrix.
template <class T>
struct csr {
  index rows = 0;
  index cols = 0;
  std::vector<index> row_ptr = {0};
  std::vector<index> col;
  std::vector<T> val;

  index nonzeros() const { return row_ptr.back(); }
  csr_view<T> view() const { return {rows, cols, row_ptr.data(), col.data(), val.data()}; }
  /// Bytes of the three arrays.
  std::size_t bytes() const {
    return row_ptr.size() * sizeof(index) + col.size() * sizeof(index) + val.size() * sizeof(T);
  }
};

/// Throws input_error, naming the row, unless: row_ptr starts at 0 and never decreases, every
/// column lies in [0, cols) and ascends strictly within its row, every value is finite. `name`
/// stands at the front of the message.
template <class T>
void check(const csr_view<T>& a, const std::string& name = "matrix");

/// The same matrix in another precision. Throws input_error when a finite value overflows.
template <class To, class From>
csr<To> convert(const csr_view<From>& a);

}  // namespace dwell
