// SPDX-License-Identifier: MIT
// Dwell's binary files of matrices, .dwell: compressed sparse rows as they lie in memory, little
// endian, with checksums by blocks, so that a reader of some rows reads and verifies these alone.
// Values keep their bits. Layout: docs/reference/binary-matrix.md. Bad files are an input_error of
// one line: the file, what was expected, what was found.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "dwell/base/api.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/formats/row_source.hpp"

namespace dwell {

/// What the header of a file says.
struct binary_matrix_header {
  std::int64_t rows = 0;      ///< rows of the matrix
  std::int64_t cols = 0;      ///< columns of the matrix
  std::int64_t nonzeros = 0;  ///< stored entries, explicit zeros included
  bool single = false;        ///< values are f32, else f64
  bool symmetric = false;     ///< bit for bit, as the writer found; all entries are stored anyway
  /// Equal in all members.
  bool operator==(const binary_matrix_header&) const = default;
  /// Bytes of a stored column: 4, or 8 where there are more than 2^31 - 1 columns.
  int column_bytes() const { return cols > 0x7fffffff ? 8 : 4; }
  int value_bytes() const { return single ? 4 : 8; }  ///< size of a stored value
};

/// Does the file begin as these do? False for what cannot be opened, and for pipes, of which
/// nothing is taken.
DWELL_API bool is_binary_matrix(const std::filesystem::path& file);

class input_file;

/// A file that is open for reading. A pipe is read to its end, into memory.
class DWELL_API binary_matrix_file final : public row_source {
 public:
  /// Reads and checks the header, and the length of the file.
  explicit binary_matrix_file(const std::filesystem::path& file);
  ~binary_matrix_file() override;

  const binary_matrix_header& header() const;                           ///< what the header says
  std::int64_t rows() const override { return header().rows; }          ///< number in the header
  std::int64_t cols() const override { return header().cols; }          ///< number in the header
  std::int64_t nonzeros() const override { return header().nonzeros; }  ///< number in the header
  bool symmetric() const override { return header().symmetric; }        ///< flag in the header
  /// Stored entries in the rows before `row`, 0 to rows(); verifies the block that it is in.
  std::int64_t row_ptr(std::int64_t row) const override;
  /// Verifies the blocks that hold these rows, and checks the rows: columns in range and ascending,
  /// values finite. f32 becomes f64, which is exact.
  matrix_rows part(std::int64_t first, std::int64_t last, int threads = 0) const override;
  /// The whole matrix, verified and checked. Throws input_error if it has more than 2^31 - 1 rows,
  /// columns or nonzeros, device_error if the machine has less memory than it takes.
  csr<double> matrix(int threads = 0) const;

 private:
  friend struct matrix_file_reader;                               // matrix_file.cpp
  explicit binary_matrix_file(std::unique_ptr<input_file> file);  ///< open, at its beginning
  struct state;
  std::unique_ptr<state> s_;
};

/// Writes a file piece by piece: all row pointers, then all columns, then all values, each in as
/// many calls as the caller likes. The file appears with commit(), or not at all.
class DWELL_API binary_matrix_writer {
 public:
  /// Throws input_error if a size is negative, or the file cannot be written.
  binary_matrix_writer(const std::filesystem::path& file, const binary_matrix_header& header);
  ~binary_matrix_writer();
  binary_matrix_writer(const binary_matrix_writer&) = delete;
  binary_matrix_writer& operator=(const binary_matrix_writer&) = delete;

  /// rows + 1 of them in all, the first 0, the last the number of nonzeros. Throws input_error if
  /// they fall.
  void row_ptr(std::span<const std::int64_t> next);
  /// Throws input_error if one is no column. That they ascend in each row is the caller's word.
  void columns(std::span<const std::int64_t> next);
  /// Likewise.
  void columns(std::span<const index> next);
  /// Throws input_error if one is not finite, or too large for an f32 file.
  void values(std::span<const double> next);
  /// Likewise.
  void values(std::span<const float> next);
  /// Throws input_error unless all arrays are whole, or if the file cannot be written.
  void commit();

 private:
  struct state;
  std::unique_ptr<state> s_;
};

/// Writes a whole matrix, in the precision of its values. Throws input_error if it is malformed
/// (check()). symmetric: for the header.
template <class T>
DWELL_API void write_binary_matrix(const std::filesystem::path& file, const csr_view<T>& a,
                                   bool symmetric = false);
/// Writes a matrix of which a few rows at a time are in memory; each row is asked for three times.
/// single: values as f32.
DWELL_API void write_binary_matrix(const std::filesystem::path& file, const row_source& a,
                                   bool single = false);

}  // namespace dwell
