// SPDX-License-Identifier: MIT
// A matrix of which any rows can be had without the others, so that nobody needs to hold it whole:
// a binary file (binary_matrix.hpp), or a generated matrix.
#pragma once
#include <cstdint>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// Rows of a matrix that follow each other, with columns in the numbering of the whole.
struct matrix_rows {
  std::int64_t all_rows = 0;          ///< rows of the whole matrix
  std::vector<std::int64_t> row_ptr;  ///< ends of the rows here, from 0
  std::vector<std::int64_t> col;      ///< in the numbering of the whole, ascending in each row
  std::vector<double> val;            ///< values, one for each of col
};

/// Const members may be called by several threads at once.
class DWELL_API row_source {
 public:
  row_source() = default;
  row_source(const row_source&) = delete;
  row_source& operator=(const row_source&) = delete;
  virtual ~row_source() = default;

  virtual std::int64_t rows() const = 0;      ///< rows of the whole matrix
  virtual std::int64_t cols() const = 0;      ///< columns of the whole matrix
  virtual std::int64_t nonzeros() const = 0;  ///< stored entries, explicit zeros included
  /// Is it known to be symmetric, bit for bit? What is not known may be.
  virtual bool symmetric() const = 0;
  /// Stored entries in the rows before `row`, 0 to rows().
  virtual std::int64_t row_ptr(std::int64_t row) const = 0;
  /// The rows from `first` to before `last`, by so many threads (0: as many as are worth it).
  /// Throws input_error unless 0 <= first <= last <= rows(), and where a file is damaged.
  virtual matrix_rows part(std::int64_t first, std::int64_t last, int threads = 0) const = 0;
};

/// All rows, by so many threads (0: as many as are worth it), for linear_solver. Throws input_error
/// for more than 2^31 - 1 rows or columns, device_error if the host has too little memory.
DWELL_API large_csr<double> whole_matrix(const row_source& of, int threads = 0);

}  // namespace dwell
