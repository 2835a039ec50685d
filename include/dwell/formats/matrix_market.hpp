// SPDX-License-Identifier: MIT
// Matrix Market files (Boisvert, Pozo, Remington, "The Matrix Market exchange formats", NISTIR
// 5935, 1996), plain, gzip-compressed (in one member or several), or inside the .tar.gz that the
// SuiteSparse Matrix Collection serves.
//
// Where the format leaves a choice: entries that occur twice are summed in the order of the file;
// explicit zeros are kept; a symmetric file holds the lower triangle only; blank lines may stand
// anywhere behind the first, and so may comments; one entry a line; exponents with e or d; an
// integer must be one that a double holds exactly. What a file can make the reader allocate is
// bounded by what has been read, whatever it declares: a small multiple of its text, of which a
// gzip file or a pipe may hold at most 256 bytes for each entry that has come (and 16 MiB), and a
// gzip file 64 for each of its own bytes (and 16 MiB, an array 64); 16 rows or columns for each
// byte, and 64 for each entry (and 2^20). What does not begin with a banner is refused from its
// first block.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

/// How a file holds a matrix.
enum class mm_layout {
  coordinate,  ///< entries with row and column
  array        ///< all elements, column by column
};
/// What its values are.
enum class mm_field {
  real,     ///< decimal numbers
  integer,  ///< whole ones
  pattern,  ///< places only
  complex   ///< two decimal numbers each (complex_matrix_market.hpp)
};
/// Which of its elements it holds.
enum class mm_symmetry {
  general,         ///< all
  symmetric,       ///< the lower triangle
  skew_symmetric,  ///< the lower triangle without the diagonal, which is zero
  hermitian        ///< the lower triangle of a complex one, whose diagonal is real
};
/// The format's word: "coordinate" or "array".
DWELL_API std::string to_string(mm_layout v);
/// The format's word: "real", "integer", ...
DWELL_API std::string to_string(mm_field v);
/// The format's word: "general", "symmetric", "skew-symmetric", ...
DWELL_API std::string to_string(mm_symmetry v);

/// What the file says of itself.
struct mm_header {
  mm_layout layout = mm_layout::coordinate;     ///< how it holds the matrix
  mm_field field = mm_field::real;              ///< what its values are
  mm_symmetry symmetry = mm_symmetry::general;  ///< which elements it holds
  std::int64_t rows = 0;                        ///< rows of the full matrix
  std::int64_t cols = 0;                        ///< columns of the full matrix
  std::int64_t stored = 0;                      ///< entries in the file
};

/// A file read: the full matrix (both triangles of a symmetric one; ones for a pattern).
struct mm_matrix {
  std::string name;    ///< file name without folder and without .mtx, .gz, .tar.gz
  mm_header header;    ///< what the file says of itself
  csr<double> matrix;  ///< the full one
  /// NAME_b.mtx of a .tar.gz, if it is there and is one column of the right length.
  std::optional<std::vector<double>> companion_rhs;
  /// Why it is there and cannot be read; else empty. The matrix is none the worse for it.
  std::string companion_refusal = {};
};

/// Reads a sparse or dense matrix. Throws input_error "file:line: expected ..., found ..."; never
/// allocates more than the file's own size justifies. threads 0: default_threads().
DWELL_API mm_matrix read_matrix_market(const std::filesystem::path& file, int threads = 0);

/// Reads a vector: a one-column (or one-row) array or coordinate file.
DWELL_API std::vector<double> read_matrix_market_vector(const std::filesystem::path& file,
                                                        int threads = 0);

/// Parses text in memory as read_matrix_market() does; `name` stands in messages where the file
/// would.
DWELL_API mm_matrix parse_matrix_market(std::span<const char> text, const std::string& name,
                                        int threads = 0);

/// How write_matrix_market() writes.
struct mm_write_options {
  /// general, or symmetric (writes the lower triangle; the matrix must be symmetric bit for bit).
  mm_symmetry symmetry = mm_symmetry::general;
  std::string comment;  ///< may have several lines
};

/// Writes with 17 significant digits at most (the shortest that reads back to the same bits), to a
/// temporary name beside `file` that is renamed at the end. A name that ends in .gz is compressed.
DWELL_API void write_matrix_market(const std::filesystem::path& file, const csr_view<double>& a,
                                   const mm_write_options& options = {});
/// A vector as an n x 1 array.
DWELL_API void write_matrix_market_vector(const std::filesystem::path& file,
                                          std::span<const double> v,
                                          const std::string& comment = {});

/// Writes a dense array, given column after column, in the same way.
DWELL_API void write_matrix_market_array(const std::filesystem::path& file, index rows, index cols,
                                         std::span<const double> v,
                                         const std::string& comment = {});

}  // namespace dwell
