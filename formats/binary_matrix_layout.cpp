// SPDX-License-Identifier: MIT
// Encodes and decodes headers, and finds where arrays and checksums lie.
#include "dwell/formats/binary_matrix_layout.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "dwell/base/error.hpp"
#include "dwell/formats/matrix_market_text.hpp"

namespace dwell::binary {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are read and written as they lie in memory");

constexpr std::uint32_t version = 1, symmetric_flag = 1;

/// The header in a file.
struct raw_header {
  char magic[8];
  std::uint32_t version, value_bytes;
  std::int64_t rows, cols, nonzeros;
  std::uint32_t column_bytes, flags;
  std::uint32_t reserved[3];
  std::uint32_t sum;  ///< checksum of all bytes before
};
static_assert(sizeof(raw_header) == header_bytes);

std::uint32_t sum_of(const raw_header& raw) {
  return checksum(0, {reinterpret_cast<const char*>(&raw), offsetof(raw_header, sum)});
}

[[noreturn]] void fail(const std::string& name, const std::string& expected,
                       const std::string& found) {
  throw input_error(fmt::format("{}: expected {}, found {}", name, expected, found));
}

}  // namespace

std::uint32_t checksum(std::uint32_t before, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string encode(const binary_matrix_header& h) {
  raw_header raw = {};
  std::memcpy(raw.magic, magic.data(), magic.size());
  raw.version = version;
  raw.value_bytes = static_cast<std::uint32_t>(h.value_bytes());
  raw.rows = h.rows;
  raw.cols = h.cols;
  raw.nonzeros = h.nonzeros;
  raw.column_bytes = static_cast<std::uint32_t>(h.column_bytes());
  raw.flags = h.symmetric ? symmetric_flag : 0;
  raw.sum = sum_of(raw);
  return {reinterpret_cast<const char*>(&raw), sizeof raw};
}

bool has_damaged_signature(std::string_view bytes) {
  constexpr std::size_t enough = 5;
  bytes = bytes.substr(0, magic.size());
  if (magic.starts_with(bytes)) return false;
  std::size_t alike = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) alike += bytes[k] == magic[k];
  return alike >= enough;
}

binary_matrix_header decode(std::string_view bytes, const std::string& name) {
  const std::string_view signature = bytes.substr(0, magic.size());
  if (has_damaged_signature(signature))
    fail(name, fmt::format("'{}' at the beginning of a .dwell file", mm::escape(magic)),
         fmt::format("'{}': the file is damaged", mm::escape(signature)));
  if (signature.empty() || !magic.starts_with(signature))
    fail(name, "a .dwell file", signature.empty() ? "an empty file" : "other content");
  raw_header raw = {};
  if (bytes.size() < sizeof raw)
    fail(name, fmt::format("a header of {} bytes", sizeof raw),
         fmt::format("the end of the file after {}", bytes.size()));
  std::memcpy(&raw, bytes.data(), sizeof raw);
  // Before the checksum, whose place another version may have elsewhere.
  if (raw.version != version)
    fail(name, fmt::format("version {} of the .dwell format", version),
         fmt::format("version {}", raw.version));
  if (raw.sum != sum_of(raw))
    fail(name, fmt::format("checksum {:08x} of the header, as it says", raw.sum),
         fmt::format("{:08x}: the file is damaged", sum_of(raw)));
  const binary_matrix_header h{raw.rows, raw.cols, raw.nonzeros, raw.value_bytes == 4,
                               (raw.flags & symmetric_flag) != 0};
  if (raw.value_bytes != 4 && raw.value_bytes != 8)
    fail(name, "values of 4 or 8 bytes", std::to_string(raw.value_bytes));
  if (h.rows < 0 || h.cols < 0 || h.nonzeros < 0)
    fail(name, "sizes of 0 or more",
         fmt::format("{} rows, {} columns and {} nonzeros", h.rows, h.cols, h.nonzeros));
  if (raw.column_bytes != static_cast<std::uint32_t>(h.column_bytes()))
    fail(name, fmt::format("{} bytes for each of {} columns", h.column_bytes(), h.cols),
         std::to_string(raw.column_bytes));
  const bool unknown = (raw.flags & ~symmetric_flag) != 0 ||
                       std::any_of(raw.reserved, raw.reserved + 3, [](auto v) { return v != 0; });
  if (unknown) fail(name, "zeros in what this version reserves", "something else");
  if (h.symmetric && h.rows != h.cols)
    fail(name, "as many rows as columns of a symmetric matrix",
         fmt::format("{} and {}", h.rows, h.cols));
  return h;
}

layout lay_out(const binary_matrix_header& h, const std::string& name) {
  constexpr std::int64_t most = std::int64_t(1) << 62;
  if (h.rows < 0 || h.cols < 0 || h.nonzeros < 0)
    fail(name, "sizes of 0 or more",
         fmt::format("{} rows, {} columns and {} nonzeros", h.rows, h.cols, h.nonzeros));
  using wide = __int128;
  const wide all = (wide(h.rows) + 1) * 8 + wide(h.nonzeros) * (h.column_bytes() + h.value_bytes());
  if (all > most / 2)
    fail(name, "a matrix that a file can hold",
         fmt::format("{} rows and {} nonzeros", h.rows, h.nonzeros));
  const auto padded = [](std::int64_t bytes) { return (bytes + 7) / 8 * 8; };
  layout to = {};
  std::int64_t at = header_bytes;
  const std::int64_t sizes[] = {(h.rows + 1) * 8, h.nonzeros * h.column_bytes(),
                                h.nonzeros * h.value_bytes()};
  section* const sections[] = {&to.row_ptr, &to.columns, &to.values};
  for (int k = 0; k < 3; ++k) {
    *sections[k] = {at, padded(sizes[k]), 0};
    at += sections[k]->bytes;
  }
  for (section* s : sections) {
    s->sums_at = at;
    at += s->blocks() * 4;
  }
  to.file_bytes = at;
  return to;
}

}  // namespace dwell::binary
