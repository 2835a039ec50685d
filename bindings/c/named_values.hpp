// SPDX-License-Identifier: MIT
// Values of options and reports by name, and members of options: a row per member, made from a
// pointer to it.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell::c_api {

using value = std::variant<long long, double, std::string, std::vector<double>>;

/// "an integer", ... for messages.
inline const char* kind_of(const value& v) {
  constexpr const char* names[] = {"an integer", "a number", "a text", "a list of numbers"};
  return names[v.index()];
}

template <class Expected>
const Expected& expect(const char* name, const value& found) {
  if (const auto* v = std::get_if<Expected>(&found)) return *v;
  throw input_error(
      fmt::format("{}: expected {}, found {}", name, kind_of(Expected()), kind_of(found)));
}

/// Value of a number, with or without a fraction.
inline double number_of(const char* name, const value& found) {
  if (const auto* whole = std::get_if<long long>(&found)) return static_cast<double>(*whole);
  return expect<double>(name, found);
}

template <class Integer>
void assign_integer(Integer& to, const char* name, const value& from) {
  const long long whole = expect<long long>(name, from);
  if (!std::in_range<Integer>(whole))
    throw input_error(fmt::format("{}: expected an integer that fits, found {}", name, whole));
  to = static_cast<Integer>(whole);
}
inline void assign_member(bool& to, const char* name, const value& from) {
  const long long whole = expect<long long>(name, from);
  if (whole != 0 && whole != 1)
    throw input_error(fmt::format("{}: expected 0 or 1, found {}", name, whole));
  to = whole == 1;
}
inline void assign_member(int& to, const char* name, const value& from) {
  assign_integer(to, name, from);
}
inline void assign_member(std::size_t& to, const char* name, const value& from) {
  assign_integer(to, name, from);
}
inline void assign_member(double& to, const char* name, const value& from) {
  to = number_of(name, from);
}
inline void assign_member(std::optional<double>& to, const char* name, const value& from) {
  to = number_of(name, from);
}
inline void assign_member(std::string& to, const char* name, const value& from) {
  to = expect<std::string>(name, from);
}
inline void assign_member(std::vector<double>& to, const char* name, const value& from) {
  to = expect<std::vector<double>>(name, from);
}

/// An option that can be set.
template <class Options>
struct option_row {
  const char* name;
  void (*set)(Options&, const char* name, const value&);
};
template <auto Member, class Options>
void set_member(Options& o, const char* name, const value& from) {
  assign_member(o.*Member, name, from);
}

/// The row of this name; throws input_error, with what was perhaps meant, if there is none.
template <class Row>
const Row& row_named(std::span<const Row> rows, const char* name, const char* what) {
  std::vector<std::string_view> names;
  for (const Row& row : rows) {
    if (std::string_view(row.name) == name) return row;
    names.emplace_back(row.name);
  }
  throw input_error(
      fmt::format("expected the name of {}, found {}", what, found_word(name, names)));
}

}  // namespace dwell::c_api
