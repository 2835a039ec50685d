// SPDX-License-Identifier: MIT
// Files of matrices, of whichever format: Matrix Market text (matrix_market.hpp), plain, compressed
// or in an archive, and .dwell files (binary_matrix.hpp). What a file is, its first bytes say.
#pragma once
#include <filesystem>
#include <optional>

#include "dwell/base/api.hpp"
#include "dwell/formats/binary_matrix.hpp"
#include "dwell/formats/complex_matrix_market.hpp"
#include "dwell/formats/matrix_market.hpp"

namespace dwell {

/// A file read.
struct matrix_file {
  mm_matrix content;                           ///< its header only that of a Matrix Market file
  std::optional<binary_matrix_header> binary;  ///< header of a .dwell file
  /// Instead of `content`: a complex Matrix Market file, of read_any_matrix() alone.
  std::optional<mm_complex_matrix> complex = {};
};

/// Reads the whole matrix. Throws as read_matrix_market() and binary_matrix_file::matrix() do.
/// threads 0: default_threads().
DWELL_API matrix_file read_matrix(const std::filesystem::path& file, int threads = 0);

/// Reads a matrix of real or of complex numbers.
DWELL_API matrix_file read_any_matrix(const std::filesystem::path& file, int threads = 0);

}  // namespace dwell
