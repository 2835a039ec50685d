// SPDX-License-Identifier: MIT
// Words of boundary conditions.
#include "dwell/grid/boundary.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell {
namespace {

constexpr std::string_view blanks = " \t\n";
constexpr std::string_view condition_names[] = {"dirichlet", "neumann", "robin", "periodic"};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Cuts the first word off.
std::string_view next_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

double number(std::string_view word, std::string_view all) {
  double v = 0;
  const char* end = word.data() + word.size();
  if (const auto [at, error] = std::from_chars(word.data(), end, v);
      error != std::errc{} || at != end || !std::isfinite(v))
    throw input_error(
        fmt::format("boundary: expected a number in \"{}\", found \"{}\"", all, word));
  return v;
}

}  // namespace

std::string to_string(const grid_side& side) {
  switch (side.kind) {
    case boundary_kind::dirichlet:
      return fmt::format("dirichlet {}", side.value);
    case boundary_kind::neumann:
      return fmt::format("neumann {}", side.value);
    case boundary_kind::robin:
      return fmt::format("robin {} {}", side.alpha, side.value);
    case boundary_kind::periodic:
      break;
  }
  return "periodic";
}

grid_side parse_grid_side(std::string_view text) {
  const std::string_view all = trimmed(text);
  std::string_view rest = all;
  const std::string_view name = next_word(rest);
  grid_side side;
  int numbers = 1;
  if (name == "dirichlet")
    side.kind = boundary_kind::dirichlet;
  else if (name == "neumann")
    side.kind = boundary_kind::neumann;
  else if (name == "robin")
    side.kind = boundary_kind::robin, numbers = 2;
  else if (name == "periodic")
    side.kind = boundary_kind::periodic, numbers = 0;
  else
    throw input_error("boundary: expected dirichlet, neumann, robin or periodic, found " +
                      found_word(name, condition_names));
  if (side.kind == boundary_kind::robin) {
    side.alpha = number(next_word(rest), all);
    --numbers;
  }
  if (const std::string_view word = next_word(rest); numbers && !word.empty())
    side.value = number(word, all);
  else if (!word.empty())
    throw input_error(fmt::format("boundary: expected \"periodic\", found \"{}\"", all));
  if (const std::string_view word = next_word(rest); !word.empty())
    throw input_error(fmt::format("boundary: expected the end of \"{}\", found \"{}\"", all, word));
  return side;
}

grid_boundary parse_grid_boundary(std::string_view text, int dims) {
  if (text.find(':') == text.npos) return grid_boundary::all(parse_grid_side(text));
  grid_boundary b;
  std::array<std::array<bool, 2>, 3> named{};
  while (true) {
    const auto comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    const auto colon = part.find(':');
    const std::string_view where = trimmed(part.substr(0, colon));
    const auto letter =
        where.empty() ? std::string_view::npos : std::string_view("xyz").find(where[0]);
    const bool one_side = where.size() == 2 && (where[1] == '-' || where[1] == '+');
    if (colon == part.npos || letter == std::string_view::npos ||
        static_cast<int>(letter) >= dims || !(where.size() == 1 || one_side))
      throw input_error(
          fmt::format("boundary: expected {} with a condition, as \"x: dirichlet 0\" or "
                      "\"x-: neumann\", found \"{}\"",
                      dims == 1   ? "x"
                      : dims == 2 ? "x or y"
                                  : "x, y or z",
                      part));
    const auto axis = static_cast<std::size_t>(dims - 1 - static_cast<int>(letter));
    const grid_side side = parse_grid_side(part.substr(colon + 1));
    for (std::size_t high = 0; high < 2; ++high) {
      if (one_side && high != std::size_t(where[1] == '+')) continue;
      if (named[axis][high])
        throw input_error(
            fmt::format("boundary: expected each side once, found \"{}\" again", where));
      named[axis][high] = true;
      b.sides[axis][high] = side;
    }
    if (comma == text.npos) return b;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace dwell
