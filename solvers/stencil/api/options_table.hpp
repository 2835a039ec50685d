// SPDX-License-Identifier: MIT
// The options of a stencil, one row each: the name in C, the keyword of Python, the flag of the
// command line, its help, the member of stencil_options, what it may be, and on which surfaces it
// exists. Setters of C, flags, checks of ranges and Python's keywords loop over the rows. Defaults
// are those of stencil_options. Private to the project.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dwell/base/option_range.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell {

/// Where a caller may set an option: run is dwell stencil, python both Runner and stencil().
enum class stencil_surface : unsigned { c = 1, python = 2, run = 4, compare = 8, explain = 16 };
inline constexpr stencil_surface all_stencil_surfaces[] = {
    stencil_surface::c, stencil_surface::python, stencil_surface::run, stencil_surface::compare,
    stencil_surface::explain};
constexpr stencil_surface operator|(stencil_surface a, stencil_surface b) {
  return static_cast<stencil_surface>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool holds(stencil_surface all, stencil_surface one) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

/// Where the value of an option is.
using stencil_member =
    std::variant<bool& (*)(stencil_options&), int& (*)(stencil_options&),
                 double& (*)(stencil_options&), std::optional<double>& (*)(stencil_options&),
                 std::string& (*)(stencil_options&), std::vector<double>& (*)(stencil_options&),
                 boundary& (*)(stencil_options&)>;

struct stencil_option {
  const char* name;
  const char* keyword = nullptr;  ///< Python's, where it has another name
  const char* flag = nullptr;     ///< or none
  const char* help;
  stencil_member member;
  std::optional<option_range> range = {};
  /// The words that it may be; null: others check, or it is no word.
  std::vector<std::string> (*words)() = nullptr;
  option_absence<stencil_surface> absences[4] = {};

  const char* python() const { return keyword ? keyword : name; }
  /// Null: it exists there.
  const char* why_not(stencil_surface there) const {
    for (const auto& one : absences)
      if (one.why && holds(one.surfaces, there)) return one.why;
    return nullptr;
  }
  bool is_on(stencil_surface there) const { return why_not(there) == nullptr; }
};

/// All of them, in the order of the members.
std::span<const stencil_option> stencil_option_table();
/// Throws input_error if there is none.
const stencil_option& stencil_option_named(std::string_view name);

/// f(the member of `o`), whatever its type.
template <class F>
decltype(auto) with_member(const stencil_option& option, stencil_options& o, F&& f) {
  return std::visit([&](auto get) -> decltype(auto) { return f(get(o)); }, option.member);
}
template <class F>
decltype(auto) with_member(const stencil_option& option, const stencil_options& o, F&& f) {
  return std::visit(
      [&](auto get) -> decltype(auto) {
        return f(std::as_const(get(const_cast<stencil_options&>(o))));
      },
      option.member);
}

/// Throws input_error, which names the first one, for numbers out of their range.
void check_ranges(const stencil_options& o);

}  // namespace dwell
