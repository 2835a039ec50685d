// SPDX-License-Identifier: MIT
// Errors in Matrix Market text: one line each, whatever bytes the file holds.
#include "dwell/formats/matrix_market_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/formats/matrix_market_numbers.hpp"

namespace dwell::mm {
namespace {

constexpr std::ptrdiff_t longest_quote = 40;  // bytes of the file shown in a message

std::string word_at(const char* p, const char* end) {
  if (p == end) return "the end of the file";
  if (at_line_end(p, end)) return "the end of the line";
  const char* stop = p + 1;  // a stray carriage return is a word of its own
  while (!at_token_end(stop, end)) ++stop;
  const bool cut = stop - p > longest_quote;
  if (cut) stop = p + longest_quote;
  return fmt::format("'{}{}'", escape({p, static_cast<std::size_t>(stop - p)}), cut ? "..." : "");
}

}  // namespace

std::string escape(std::string_view s) {
  std::string out;
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\')
      out += "\\\\";
    else if (byte >= 0x20 && byte < 0x7f)
      out += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else
      out += fmt::format("\\x{:02x}", byte);
  }
  return out;
}

std::string entries_of(std::int64_t n) {
  return fmt::format("{} {}", n, n == 1 ? "entry" : "entries");
}

std::string line_of(const text& t, const char* where) {
  // The end of the file belongs to its last line, with or without a final newline.
  if (where == t.end && where != t.begin && where[-1] == '\n') --where;
  return fmt::format("{}:{}", t.name, 1 + std::count(t.begin, where, '\n'));
}

void fail(const text& t, const complaint& c) {
  throw input_error(fmt::format("{}: expected {}, found {}", line_of(t, c.where), c.expected,
                                c.found.empty() ? word_at(c.where, t.end) : c.found));
}

std::string plain_name(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  const auto strip = [&](std::string_view ending) {
    const bool there = name.size() > ending.size() && name.ends_with(ending);
    if (there) name.resize(name.size() - ending.size());
    return there;
  };
  if (strip(".tgz") || strip(".tar.gz")) return name;
  if (strip(".dwell")) return name;
  strip(".gz");
  strip(".mtx");
  return name;
}

}  // namespace dwell::mm
