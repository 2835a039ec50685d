// SPDX-License-Identifier: MIT
// Where a matrix comes from: a file, or a kind of `dwell generate` made on the spot.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dwell/formats/file_sizes.hpp"
#include "dwell/formats/matrix_file.hpp"
#include "dwell/formats/row_source.hpp"

namespace dwell::app {

struct matrix_source {
  std::string name;  ///< name shown to people: file name without suffixes, or the kind
  bool generated = false;
  mm_matrix content;  ///< header and companion only of a Matrix Market file
  std::optional<binary_matrix_header> binary;  ///< header of a .dwell file
  double read_s = 0;                           ///< reading or generating
  bool compressed = false;
  std::uintmax_t file_bytes = 0;  ///< size on disk; 0 if generated or not a regular file
  /// Instead of `content`, of load_any_matrix() alone: complex numbers, or more nonzeros than 32
  /// bits count.
  std::optional<mm_complex_matrix> complex = {};
  std::optional<large_csr<double>> large = {};
  index rows() const { return large ? large->rows : content.matrix.rows; }
};

/// "a file or a kind", for help texts.
inline constexpr const char* matrix_kinds_help =
    "A Matrix Market file (.mtx, .mtx.gz, or the .tar.gz that SuiteSparse serves), a .dwell file "
    "(see 'dwell convert --help'), or a kind that "
    "'dwell generate --help' lists, such as poisson2d:1000x1000";
inline const std::string matrix_help =
    std::string(matrix_kinds_help) +
    "; - is standard input. A file that has the name of a kind is written ./NAME";

/// Beginnings of these kinds, "trefethen:" or "like:hood", for completion.
std::vector<std::string> matrix_kind_words();

/// Throws input_error at once if `text` is neither a kind nor a file that can be opened. `or_else`
/// is what it could have been besides, `meant` what it perhaps was (suggestion()), before a kind.
void require_source(const std::string& text, const std::string& or_else = {},
                    const std::string& meant = {});
/// Reads or generates.
matrix_source load_matrix(const std::string& text, int threads);
/// Also a matrix of complex numbers.
matrix_source load_real_or_complex(const std::string& text, int threads);
/// Also a matrix of complex numbers, or one that is_large().
matrix_source load_any_matrix(const std::string& text, int threads);
/// Rows of a kind or a .dwell file that can be had without the others; else null.
/// Their sizes are known before anything is read or made.
std::unique_ptr<row_source> source_in_parts(const std::string& text);
/// Sizes of a matrix that are known before it is read or made; nothing of what can be read only
/// once, and of kinds that are made as a whole.
std::optional<file_sizes> sizes_of_source(const std::string& text);
/// The name of a matrix, as matrix_source has it.
std::string source_name(const std::string& text);
/// Throws input_error unless a matrix of this name has as many rows as columns.
void require_square(const std::string& name, std::int64_t rows, std::int64_t cols);
/// Has it more nonzeros than 32 bits count, in rows and columns that they do?
bool is_large(const row_source& of);
/// Entries of value zero.
std::int64_t count_explicit_zeros(std::span<const double> values);
inline std::int64_t count_explicit_zeros(const csr<double>& a) {
  return count_explicit_zeros(a.val);
}

}  // namespace dwell::app
