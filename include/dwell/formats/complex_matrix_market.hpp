// SPDX-License-Identifier: MIT
// Matrix Market files of complex numbers: field complex, with the symmetries general, symmetric,
// skew-symmetric and hermitian. All else is as matrix_market.hpp says; files of real numbers are
// read, too, with imaginary parts of zero.
#pragma once
#include <complex>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/formats/matrix_market.hpp"

namespace dwell {

/// A file read: the full matrix.
struct mm_complex_matrix {
  std::string name;                  ///< name without folder and suffix
  mm_header header;                  ///< what the file says of itself
  csr<std::complex<double>> matrix;  ///< the full one
  /// NAME_b.mtx of a .tar.gz, real or complex.
  std::optional<std::vector<std::complex<double>>> companion_rhs;
  std::string companion_refusal = {};  ///< why it cannot be read; else empty
};

/// Throws as read_matrix_market() does.
DWELL_API mm_complex_matrix read_complex_matrix_market(const std::filesystem::path& file,
                                                       int threads = 0);
/// Reads a file as what it is: complex, or not.
DWELL_API std::variant<mm_matrix, mm_complex_matrix> read_any_matrix_market(
    const std::filesystem::path& file, int threads = 0);
/// Reads a vector: a one-column (or one-row) array or coordinate file.
DWELL_API std::vector<std::complex<double>> read_complex_matrix_market_vector(
    const std::filesystem::path& file, int threads = 0);
/// Parses text in memory.
DWELL_API mm_complex_matrix parse_complex_matrix_market(std::span<const char> text,
                                                        const std::string& name, int threads = 0);
/// Parses text as what it is: complex, or not.
DWELL_API std::variant<mm_matrix, mm_complex_matrix> parse_any_matrix_market(
    std::span<const char> text, const std::string& name, int threads = 0);

/// Writes field complex, in the manner of write_matrix_market(); as general, or symmetric or
/// hermitian (the matrix must be so bit for bit, of a hermitian one the diagonal real).
DWELL_API void write_matrix_market(const std::filesystem::path& file,
                                   const csr_view<std::complex<double>>& a,
                                   const mm_write_options& options = {});
/// A vector as an n x 1 array.
DWELL_API void write_complex_matrix_market_vector(const std::filesystem::path& file,
                                                  std::span<const std::complex<double>> v,
                                                  const std::string& comment = {});

}  // namespace dwell
