// SPDX-License-Identifier: MIT
// toml++, and what it does not guard against.
#include "cli/toml_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "dwell/base/error.hpp"

namespace dwell::app {
namespace {

/// Where a string that begins at `at` ends. Those of one line end with it at the latest.
std::size_t end_of_string(const std::string& text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool long_one = text.compare(at, 3, three) == 0;
  for (at += long_one ? 3 : 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (long_one ? text.compare(at, 3, three) == 0 : text[at] == quote || text[at] == '\n') {
      if (!long_one) return at + 1;
      at += 3;  // and two more quotes may belong to it
      for (int k = 0; k < 2 && at < text.size() && text[at] == quote; ++k) ++at;
      return at;
    }
  }
  return text.size();
}

/// Throws input_error for a key of very many names, each of which is a table in another one: toml++
/// takes them apart by calling itself.
void require_short_keys(const std::string& text, const std::string& file) {
  constexpr int most = 16;  // names of commands and their options are three at most
  int dots = 0, line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      const std::size_t end = end_of_string(text, at);
      line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                          text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      at = end;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) dots = 0;
    if (c == '\n') ++line;
    if (c == '.' && ++dots == most)
      throw input_error(
          fmt::format("{}:{}: expected a key of at most {} names, found more", file, line, most));
    ++at;
  }
}

}  // namespace

std::string toml_text(std::istream& input, const std::string& file, const std::string& what) {
  constexpr std::size_t most = std::size_t{1} << 20;
  std::string text(most + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (input.bad()) throw input_error(file + ": cannot be read");
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.size() > most)
    throw input_error(fmt::format("{}: expected {}, found more than 1 MiB", file, what));
  return text;
}

toml::table parse_toml(const std::string& text, const std::string& file) {
  require_short_keys(text, file);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    throw input_error(fmt::format("{}:{}: {}", file, e.source().begin.line, e.description()));
  }
}

}  // namespace dwell::app
