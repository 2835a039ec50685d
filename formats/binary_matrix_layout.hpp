// SPDX-License-Identifier: MIT
// Private to formats: where what lies in a .dwell file. A header, three arrays (each padded with
// zeros to a multiple of 8 bytes), and the CRC-32 of every block of 64 KiB of each array.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "dwell/formats/binary_matrix.hpp"

namespace dwell::binary {

/// A signature like that of PNG: a byte that no text has, the name, and line ends that a transfer
/// as text breaks.
inline constexpr std::string_view magic(
    "\x89"
    "DWELL\r\n",
    8);
/// Are these the first bytes of such a file, though some of the signature have changed?
bool has_damaged_signature(std::string_view bytes);
inline constexpr std::int64_t header_bytes = 64;
inline constexpr std::int64_t block_bytes = 1 << 16;

/// The bytes of a header, its checksum among them.
std::string encode(const binary_matrix_header& header);
/// Throws input_error; `bytes` are the first header_bytes of a file, or fewer if it has no more.
binary_matrix_header decode(std::string_view bytes, const std::string& name);

/// One of the arrays in a file.
struct section {
  std::int64_t at;       ///< its first byte in the file
  std::int64_t bytes;    ///< with the padding
  std::int64_t sums_at;  ///< the first of its checksums
  std::int64_t blocks() const { return (bytes + block_bytes - 1) / block_bytes; }
};
struct layout {
  section row_ptr, columns, values;
  std::int64_t file_bytes;
};
/// Throws input_error if sizes are negative, or the file would have more than 2^62 bytes.
layout lay_out(const binary_matrix_header& header, const std::string& name);

/// CRC-32 (ISO 3309, that of gzip and PNG) of bytes behind those that gave `before`.
std::uint32_t checksum(std::uint32_t before, std::string_view bytes);

}  // namespace dwell::binary
