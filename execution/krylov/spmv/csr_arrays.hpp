// SPDX-License-Identifier: MIT
// The arrays of a CSR matrix in memory that the teams of a device read: the host's for a CPU, the
// device's for a GPU. Columns have 32 bits, row pointers 32 or, of matrices with 2^31 nonzeros and
// more, 64.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"

namespace dwell {

/// Arrays of a csr_view (include/dwell/formats/csr.hpp). The number of nonzeros is explicit,
/// because the host may be unable to read row_ptr.
template <class T>
struct csr_arrays {
  index rows = 0;
  index cols = 0;
  index nonzeros = 0;
  const index* row_ptr = nullptr;
  const index* col = nullptr;
  const T* val = nullptr;
};

/// The most nonzeros that row pointers of 32 bits count.
inline constexpr std::int64_t most_in_32_bits = 0x7fffffff;

/// Row pointers of either width, as places in 64 bits.
class row_starts {
 public:
  row_starts() = default;
  DWELL_HD row_starts(const index* of_32_bits) : short_(of_32_bits) {}
  DWELL_HD row_starts(const std::int64_t* of_64_bits) : long_(of_64_bits) {}

  DWELL_HD std::int64_t operator[](std::int64_t row) const {
    return long_ ? long_[row] : static_cast<std::int64_t>(short_[row]);
  }
  /// Those from `row` on.
  DWELL_HD row_starts from(std::int64_t row) const {
    return long_ ? row_starts(long_ + row) : row_starts(short_ + row);
  }
  DWELL_HD explicit operator bool() const { return long_ || short_; }
  /// Null where they have the other width.
  DWELL_HD const index* of_32_bits() const { return short_; }
  DWELL_HD const std::int64_t* of_64_bits() const { return long_; }

 private:
  const index* short_ = nullptr;
  const std::int64_t* long_ = nullptr;
};

/// Entries of one row.
template <class T>
struct csr_row {
  const index* col = nullptr;
  const T* val = nullptr;
  index count = 0;
};

/// csr_arrays of any number of nonzeros, for what works with all matrices.
template <class T>
struct large_csr_arrays {
  index rows = 0;
  index cols = 0;
  std::int64_t nonzeros = 0;
  row_starts row_ptr;
  const index* col = nullptr;
  const T* val = nullptr;

  large_csr_arrays() = default;
  DWELL_HD large_csr_arrays(index r, index c, std::int64_t n, row_starts begins,
                            const index* columns, const T* values)
      : rows(r), cols(c), nonzeros(n), row_ptr(begins), col(columns), val(values) {}
  DWELL_HD large_csr_arrays(const csr_arrays<T>& a)
      : large_csr_arrays(a.rows, a.cols, a.nonzeros, a.row_ptr, a.col, a.val) {}

  DWELL_HD csr_row<T> row(index i) const {
    const std::int64_t begin = row_ptr[i];
    return {col + begin, val + begin, static_cast<index>(row_ptr[std::int64_t{i} + 1] - begin)};
  }
  /// For what counts nonzeros in 32 bits, which has been refused for matrices whose row pointers
  /// have 64.
  csr_arrays<T> in_32_bits() const {
    return {rows, cols, static_cast<index>(nonzeros), row_ptr.of_32_bits(), col, val};
  }
};

}  // namespace dwell
