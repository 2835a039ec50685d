// SPDX-License-Identifier: MIT
// The options of a linear solve, one row each: the name in C and Python, the flag of the command
// line, its help, the member of solve_options, what it may be, and on which surfaces it exists.
// Setters of C, flags, checks of ranges and the Python package loop over the rows. Defaults are
// those of solve_options and stand nowhere else. Private to the project.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dwell/base/option_range.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// Where a caller may set an option. `solve` is both dwell solve and dwell cg.
enum class surface : unsigned {
  c = 1,
  python = 2,
  solve = 4,
  compare_solve = 8,
  compare_cg = 16,
  explain = 32
};
inline constexpr surface all_surfaces[] = {surface::c,          surface::python,
                                           surface::solve,      surface::compare_solve,
                                           surface::compare_cg, surface::explain};
constexpr surface operator|(surface a, surface b) {
  return static_cast<surface>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool holds(surface all, surface one) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(one)) != 0;
}

using absence = option_absence<surface>;

/// Flags of a group stand together in help. calls: of callers of the library; tuning: for tests,
/// too.
enum class option_group { system, method, execution, preconditioner, stop, result, calls, tuning };

/// Where the value of an option is.
using option_member =
    std::variant<bool& (*)(solve_options&), int& (*)(solve_options&), double& (*)(solve_options&),
                 std::size_t& (*)(solve_options&), std::string& (*)(solve_options&),
                 std::vector<double>& (*)(solve_options&), preconditioner& (*)(solve_options&)>;

struct solve_option {
  const char* name;
  const char* flag = nullptr;  ///< or none
  option_group group;
  /// What it is, or does where it is true; "{most}" stands for the range's.
  const char* help;
  option_member member;
  std::optional<option_range> range = {};
  /// The words that it may be, the default's place is of no meaning; null: no words.
  std::vector<std::string> (*words)() = nullptr;
  /// The methods that heed it, with blanks between, or null: all.
  const char* methods = nullptr;
  /// The preconditioner that it is an option of; of others it is not read, but its range holds.
  std::optional<preconditioner> part_of = {};
  absence absences[3] = {};
  /// What the flag does, where it is not what the option does: it names a file, or says no.
  const char* flag_help = nullptr;

  /// Null: it exists there.
  const char* why_not(surface there) const;
  bool is_on(surface there) const { return why_not(there) == nullptr; }
  bool is_of(std::string_view method) const;
  std::string help_text() const;
  std::string flag_help_text() const { return flag_help ? flag_help : help_text(); }
};

/// All of them, in the order of help.
std::span<const solve_option> solve_option_table();
/// Throws input_error if there is none.
const solve_option& solve_option_named(std::string_view name);

/// f(the member of `o`), whatever its type.
template <class F>
decltype(auto) with_member(const solve_option& option, solve_options& o, F&& f) {
  return std::visit([&](auto get) -> decltype(auto) { return f(get(o)); }, option.member);
}
template <class F>
decltype(auto) with_member(const solve_option& option, const solve_options& o, F&& f) {
  return std::visit(
      [&](auto get) -> decltype(auto) {
        return f(std::as_const(get(const_cast<solve_options&>(o))));
      },
      option.member);
}

/// Throws input_error, which names the first one, for values out of their range or no such words.
void check_ranges(const solve_options& o);

}  // namespace dwell
