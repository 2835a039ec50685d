// SPDX-License-Identifier: MIT
// Compressed sparse rows with 32-bit columns: an owning matrix, a view of anybody's arrays, and the
// checks that both must pass before a solver touches them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/base/index.hpp"
#include "dwell/formats/csr_view.hpp"

namespace dwell {

/// An owning CSR matrix. Offset: the type of row_ptr, as of csr_view.
template <class T, class Offset = index>
struct csr {
  index rows = 0;                     ///< rows of the matrix
  index cols = 0;                     ///< columns of the matrix
  std::vector<Offset> row_ptr = {0};  ///< where each row begins, and the end: rows + 1
  std::vector<index> col;             ///< columns, ascending in each row
  std::vector<T> val;                 ///< values

  /// Stored entries, explicit zeros included.
  Offset nonzeros() const { return row_ptr.back(); }
  /// Valid until the arrays change.
  csr_view<T, Offset> view() const { return {rows, cols, row_ptr.data(), col.data(), val.data()}; }
  /// Bytes of the three arrays.
  std::size_t bytes() const {
    return row_ptr.size() * sizeof(Offset) + col.size() * sizeof(index) + val.size() * sizeof(T);
  }
};

/// Throws input_error, naming the row, unless: row_ptr starts at 0 and never decreases, every
/// column lies in [0, cols) and ascends strictly within its row, every value is finite. `name`
/// stands at the front of the message. T: double, float, or, with row pointers of 32 bits,
/// std::complex of them.
template <class T, class Offset>
DWELL_API void check(const csr_view<T, Offset>& a, const std::string& name = "matrix");

/// Converts a matrix to another precision (a complex one from f64 to f32). Throws input_error when
/// a finite value overflows.
template <class To, class From, class Offset>
DWELL_API csr<To, Offset> convert(const csr_view<From, Offset>& a);

/// A matrix with row pointers of 64 bits.
template <class T>
using large_csr = csr<T, std::int64_t>;

}  // namespace dwell
