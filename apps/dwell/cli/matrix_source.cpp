// SPDX-License-Identifier: MIT
// A kind is recognised by the word before its colon, so that a wrong size gets the generator's
// message and not "no such file".
#include "cli/matrix_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/descriptor.hpp"

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

namespace {

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
matrix_source load_any_matrix(const std::string& text, int threads) {
  return load_by(text, threads, read_any_matrix);
}

std::int64_t count_explicit_zeros(const csr<double>& a) {
  return std::count(a.val.begin(), a.val.end(), 0.0);
}

}  // namespace dwell::app
