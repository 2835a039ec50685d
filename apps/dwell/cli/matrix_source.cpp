// SPDX-License-Identifier: MIT
// A kind is recognised by the word before its colon, so that a wrong size gets the generator's
// message and not "no such file".
#include "cli/matrix_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/descriptor.hpp"
#include "dwell/formats/matrix_market_text.hpp"
#include "dwell/formats/row_source.hpp"

namespace dwell::app {

namespace fs = std::filesystem;

std::vector<std::string> matrix_kind_words() {
  std::vector<std::string> words;
  for (const auto& k : generated_kinds()) {
    const auto word = k.kind.substr(0, k.kind.find(':') + 1);
    if (word != "like:") words.push_back(word);
  }
  for (const auto& name : stand_ins()) words.push_back("like:" + name);
  return words;
}

void require_source(const std::string& text, const std::string& or_else, const std::string& meant) {
  if (is_generated(text)) return;
  const std::string kind = suggested_kind(text);
  std::error_code failed;
  const auto status = fs::status(text, failed);
  if (fs::is_directory(status))
    throw input_error(
        fmt::format("{}: expected a Matrix Market or .dwell file, found a folder", text));
  if (!fs::exists(status))
    throw input_error(
        fmt::format("{}: {}; expected a Matrix Market or .dwell file, or a kind such as "
                    "trefethen:2000 (see 'dwell "
                    "generate --help'){}{}",
                    text.empty() ? "''" : text,
                    failed && failed != std::errc::no_such_file_or_directory ? failed.message()
                                                                             : "no such file",
                    or_else, kind.empty() ? meant : kind));
}

std::string source_name(const std::string& text) {
  return is_generated(text) ? text : mm::plain_name(text);
}

std::unique_ptr<row_source> source_in_parts(const std::string& text) {
  if (is_generated(text)) return is_made_by_rows(text) ? generate_by_rows(text) : nullptr;
  if (is_stream(text) || !is_binary_matrix(text)) return nullptr;
  return std::make_unique<binary_matrix_file>(text);
}

std::optional<file_sizes> sizes_of_source(const std::string& text) {
  if (const auto known = source_in_parts(text))
    return file_sizes{known->rows(), known->cols(), false, text};
  if (is_generated(text)) return {};
  return sizes_of_file(text);
}

void require_square(const std::string& name, std::int64_t rows, std::int64_t cols) {
  if (rows != cols)
    throw input_error(
        fmt::format("{}: expected as many rows as columns, found {} x {}", name, rows, cols));
}

bool is_large(const row_source& of) {
  constexpr std::int64_t most = std::numeric_limits<index>::max();
  return of.nonzeros() > most && of.rows() <= most && of.cols() <= most;
}

namespace {

/// The rows of a kind or a .dwell file that is_large(); null: it is not, or cannot be had by rows.
std::unique_ptr<row_source> large_source(const std::string& text) {
  auto of = source_in_parts(text);
  return of && is_large(*of) ? std::move(of) : nullptr;
}

/// read(file, threads) is read_matrix() or read_any_matrix().
matrix_source load_by(const std::string& text, int threads,
                      matrix_file (*read)(const fs::path&, int)) {
  require_source(text);
  matrix_source out;
  const auto begin = std::chrono::steady_clock::now();
  if (is_generated(text)) {
    out.generated = true;
    out.content.matrix = generate(text);
    out.content.name = text;
  } else {
    std::error_code not_regular;
    const auto bytes = is_stream(text) ? 0 : fs::file_size(text, not_regular);
    if (!not_regular) out.file_bytes = bytes;
    matrix_file file = read(text, threads);
    out.content = std::move(file.content);
    out.complex = std::move(file.complex);
    out.binary = file.binary;
    out.compressed = text.ends_with(".gz") || text.ends_with(".tgz");
  }
  out.read_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  out.name = out.complex ? out.complex->name : out.content.name;
  return out;
}

}  // namespace

matrix_source load_matrix(const std::string& text, int threads) {
  return load_by(text, threads, read_matrix);
}
matrix_source load_real_or_complex(const std::string& text, int threads) {
  return load_by(text, threads, read_any_matrix);
}
matrix_source load_any_matrix(const std::string& text, int threads) {
  require_source(text);
  const auto rows = large_source(text);
  if (!rows) return load_real_or_complex(text, threads);
  matrix_source out;
  const double begin = seconds_on_host();
  out.generated = is_generated(text);
  out.name = source_name(text);
  std::error_code unknown;
  if (const auto bytes = fs::file_size(text, unknown); !unknown) out.file_bytes = bytes;
  out.large = whole_matrix(*rows, threads);
  out.read_s = seconds_on_host() - begin;
  return out;
}

std::int64_t count_explicit_zeros(std::span<const double> values) {
  return std::count(values.begin(), values.end(), 0.0);
}

}  // namespace dwell::app
