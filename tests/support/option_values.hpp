// SPDX-License-Identifier: MIT
// Values of options of linear solves and stencils that are not the defaults, and values to compare.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "dwell/solvers/linear/api/options_table.hpp"
#include "dwell/solvers/stencil/api/options_table.hpp"

namespace dwell::test {

/// The defaults but for this option, whose value is another one that is allowed.
inline solve_options with_another_value(const solve_option& option) {
  solve_options o;
  with_member(option, o, [&]<class M>(M& member) {
    if constexpr (std::is_same_v<M, bool>)
      member = !member;
    else if constexpr (std::is_same_v<M, std::string>)
      member = option.words().back();
    else if constexpr (std::is_same_v<M, preconditioner>)
      member = preconditioner::jacobi;
    else if constexpr (std::is_same_v<M, std::vector<double>>)
      member = {0.5, -2.0};
    else
      member = option.range && !option.range->allows(static_cast<double>(member + 1))
                   ? static_cast<M>(option.range->most)
                   : static_cast<M>(member + 1);
  });
  return o;
}

/// To compare, and to show.
inline std::string value_of(const solve_option& option, const solve_options& o) {
  return with_member(option, o, []<class M>(const M& member) {
    if constexpr (std::is_same_v<M, preconditioner>)
      return to_string(member);
    else
      return fmt::format("{}", member);
  });
}

inline stencil_options with_another_value(const stencil_option& option) {
  stencil_options o;
  with_member(option, o, [&]<class M>(M& member) {
    if constexpr (std::is_same_v<M, bool>)
      member = !member;
    else if constexpr (std::is_same_v<M, std::string>)
      member = option.words ? option.words().back() : "another";
    else if constexpr (std::is_same_v<M, boundary>)
      member = boundary::reflect;
    else if constexpr (std::is_same_v<M, std::vector<double>>)
      member = {0.5, -2.0};
    else if constexpr (std::is_same_v<M, std::optional<double>>)
      member = 0.25;
    else
      member = static_cast<M>(member + 1);
  });
  return o;
}

inline std::string value_of(const stencil_option& option, const stencil_options& o) {
  return with_member(option, o, []<class M>(const M& member) -> std::string {
    if constexpr (std::is_same_v<M, boundary>)
      return to_string(member);
    else if constexpr (std::is_same_v<M, std::optional<double>>)
      return member ? fmt::format("{}", *member) : "";
    else
      return fmt::format("{}", member);
  });
}

}  // namespace dwell::test
