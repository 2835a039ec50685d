// SPDX-License-Identifier: MIT
// Private to formats: the text of a Matrix Market file and how an error in it is told. Line numbers
// are counted when there is an error to report and at no other time.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace dwell::mm {

struct text {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::string name;  ///< what stands before the line number in a message

  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

/// The first thing wrong in a piece of text.
struct complaint {
  const char* where = nullptr;  ///< null: nothing is wrong
  std::string expected = {};
  std::string found = {};  ///< empty: the word at `where`, quoted

  explicit operator bool() const { return where != nullptr; }
};

/// Printable ASCII as it is, everything else as \n, \t, \r, \\ or \xNN.
std::string escape(std::string_view s);

/// "1 entry", "2 entries".
std::string entries_of(std::int64_t n);

/// "name:line", of the line of a place.
std::string line_of(const text& t, const char* where);
/// Throws input_error "name:line: expected ..., found ...".
[[noreturn]] void fail(const text& t, const complaint& c);

/// The file name without folder and without .mtx, .gz, .tar.gz, .tgz.
std::string plain_name(const std::filesystem::path& file);

}  // namespace dwell::mm
