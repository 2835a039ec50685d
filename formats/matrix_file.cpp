// SPDX-License-Identifier: MIT
// Chooses the reader by the first bytes and the name.
#include "dwell/formats/matrix_file.hpp"

#include <memory>
#include <string_view>
#include <utility>

#include "dwell/formats/binary_matrix_layout.hpp"
#include "dwell/formats/matrix_market_source.hpp"

namespace dwell {

namespace {

/// Decides by the first bytes. What neither they nor the name say to be text is a damaged file.
bool is_binary(std::string_view first, const std::filesystem::path& file) {
  if (first == binary::magic || binary::has_damaged_signature(first)) return true;
  const bool text =
      first.starts_with('%') || first.starts_with("\x1f\x8b") || first.starts_with("\xef\xbb\xbf%");
  return file.extension() == ".dwell" && !text;
}

}  // namespace

struct matrix_file_reader {
  /// read_text(file, result): of a Matrix Market file.
  template <class F>
  static matrix_file read(const std::filesystem::path& file, int threads, F&& read_text) {
    auto in = std::make_unique<input_file>(file);
    matrix_file out;
    if (!is_binary(in->peek(), file)) {
      read_text(*in, out);
      return out;
    }
    const binary_matrix_file from(std::move(in));
    out.content.matrix = from.matrix(threads);
    out.content.name = mm::plain_name(file);
    out.binary = from.header();
    return out;
  }
};

matrix_file read_matrix(const std::filesystem::path& file, int threads) {
  return matrix_file_reader::read(file, threads, [&](input_file& in, matrix_file& out) {
    out.content = mm::read_matrix(in, threads);
  });
}

matrix_file read_any_matrix(const std::filesystem::path& file, int threads) {
  return matrix_file_reader::read(file, threads, [&](input_file& in, matrix_file& out) {
    auto read = mm::read_any_matrix(in, threads);
    if (auto* real = std::get_if<mm_matrix>(&read))
      out.content = std::move(*real);
    else
      out.complex = std::move(std::get<mm_complex_matrix>(read));
  });
}

}  // namespace dwell
