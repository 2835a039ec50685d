// SPDX-License-Identifier: MIT
// The tables of options, of linear solves and stencils: a row for every member, a reason for every
// surface that lacks a row, ranges that are checked, and values that arrive by C. The command
// line's flags are read back in tests/apps/test_cli_options.cpp, Python's keywords in
// tests/bindings/python/test_options.py.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "c_handles.hpp"
#include "dwell/base/error.hpp"
#include "dwell/bindings/c/linear_options.hpp"
#include "dwell/bindings/c/stencil_options.hpp"
#include "members.hpp"
#include "option_values.hpp"

namespace dwell::test {
namespace {

TEST(solve_options_table, has_a_row_for_every_member) {
  // Without preconditioning, whose members have rows of their own, interrupt and progress, which
  // are no values.
  EXPECT_EQ(solve_option_table().size(),
            members_of<solve_options>() - 3 + members_of<preconditioner_options>());
  solve_options o;
  std::set<const void*> places;
  for (const solve_option& one : solve_option_table()) {
    EXPECT_EQ(&solve_option_named(one.name), &one) << "a name twice";
    EXPECT_FALSE(one.help_text().empty()) << one.name;
    const void* const place =
        with_member(one, o, [](auto& member) -> const void* { return &member; });
    EXPECT_TRUE(places.insert(place).second) << one.name << " is the member of another row";
  }
}

TEST(solve_options_table, says_why_a_surface_lacks_an_option) {
  for (const solve_option& one : solve_option_table())
    for (const surface there : all_surfaces)
      if (!one.is_on(there)) {
        EXPECT_GT(std::string(one.why_not(there)).size(), 10u) << one.name;
      }
}

TEST(solve_options_table, has_defaults_that_are_allowed) {
  EXPECT_NO_THROW(check_ranges(solve_options()));
}

TEST(solve_options_table, has_ranges_that_are_checked) {
  for (const solve_option& one : solve_option_table()) {
    if (!one.range) continue;
    const auto said = [&](double value) -> std::string {
      solve_options o;  // whatever the preconditioner
      with_member(one, o, [&]<class M>(M& member) {
        if constexpr (std::is_arithmetic_v<M>) member = static_cast<M>(value);
      });
      try {
        check_ranges(o);
      } catch (const input_error& e) {
        return e.what();
      }
      return {};
    };
    const auto begin = std::string(one.name) + ": expected ";
    EXPECT_EQ(said(one.range->least), "") << one.name;
    EXPECT_TRUE(said(one.range->least - 1).starts_with(begin)) << one.name;
    if (one.range->most > 1e6) continue;
    EXPECT_EQ(said(one.range->most), "") << one.name;
    EXPECT_TRUE(said(one.range->most + 1).starts_with(begin)) << one.name;
  }
}

/// Sets it by the function of C that takes its type.
int set_by_c(dwell_options* options, const char* name, const auto& to) {
  using value = std::decay_t<decltype(to)>;
  if constexpr (std::is_same_v<value, preconditioner>)
    return dwell_options_set_text(options, name, to_string(to).c_str());
  else if constexpr (std::is_same_v<value, std::string>)
    return dwell_options_set_text(options, name, to.c_str());
  else if constexpr (std::is_same_v<value, std::vector<double>>)
    return dwell_options_set_doubles(options, name, to.data(), to.size());
  else if constexpr (std::is_same_v<value, double>)
    return dwell_options_set_double(options, name, to);
  else
    return dwell_options_set_int(options, name, static_cast<long long>(to));
}

TEST(c_options, arrive_whatever_their_name) {
  int found = 0;
  for (const solve_option& one : solve_option_table()) {
    dwell_options* made = nullptr;
    ASSERT_EQ(dwell_cg_options_create(&made), DWELL_SUCCESS);
    const owned<dwell_options> options(made);
    const solve_options wanted = with_another_value(one);
    const int status =
        with_member(one, wanted, [&](const auto& to) { return set_by_c(made, one.name, to); });
    if (!one.is_on(surface::c)) {
      EXPECT_EQ(status, DWELL_INPUT_ERROR) << one.name << " is there: the table says it is not";
      continue;
    }
    ++found;
    ASSERT_EQ(status, DWELL_SUCCESS) << dwell_last_error();
    const solve_options set = c_api::linear_options_by_name::of(made);
    for (const solve_option& other : solve_option_table())
      EXPECT_EQ(value_of(other, set), value_of(other, wanted)) << one.name << ", " << other.name;
  }
  const owned<dwell_options> options([] {
    dwell_options* o = nullptr;
    EXPECT_EQ(dwell_cg_options_create(&o), DWELL_SUCCESS);
    return o;
  }());
  EXPECT_NE(dwell_options_name(options.get(), found - 1), nullptr);
  EXPECT_EQ(dwell_options_name(options.get(), found), nullptr);
}

TEST(stencil_options_table, has_a_row_for_every_member) {
  // Without interrupt and progress, which are no values.
  EXPECT_EQ(stencil_option_table().size(), members_of<stencil_options>() - 2);
  stencil_options o;
  std::set<const void*> places;
  for (const stencil_option& one : stencil_option_table()) {
    EXPECT_EQ(&stencil_option_named(one.name), &one) << "a name twice";
    const void* const place =
        with_member(one, o, [](auto& member) -> const void* { return &member; });
    EXPECT_TRUE(places.insert(place).second) << one.name << " is the member of another row";
    for (const stencil_surface there : all_stencil_surfaces)
      if (!one.is_on(there)) {
        EXPECT_GT(std::string(one.why_not(there)).size(), 8u) << one.name;
      }
    if (!one.flag) {
      EXPECT_FALSE(one.is_on(stencil_surface::run)) << one.name;
    }
  }
  EXPECT_NO_THROW(check_ranges(o));
}

TEST(stencil_options_table, has_ranges_that_are_checked) {
  for (const stencil_option& one : stencil_option_table()) {
    if (!one.range) continue;
    const auto said = [&](double value) -> std::string {
      stencil_options o;
      with_member(one, o, [&]<class M>(M& member) {
        if constexpr (std::is_arithmetic_v<M>)
          member = static_cast<M>(value);
        else if constexpr (std::is_same_v<M, std::optional<double>>)
          member = value;
      });
      try {
        check_ranges(o);
      } catch (const input_error& e) {
        return e.what();
      }
      return {};
    };
    EXPECT_EQ(said(one.range->least), "") << one.name;
    EXPECT_TRUE(said(one.range->least - 1).starts_with(std::string(one.name) + ": expected "))
        << one.name;
  }
}

TEST(c_options, of_stencils_arrive_whatever_their_name) {
  int found = 0;
  for (const stencil_option& one : stencil_option_table()) {
    const owned<dwell_options> options = stencil_options_of();
    const stencil_options wanted = with_another_value(one);
    const int status = with_member(one, wanted, [&]<class M>(const M& to) {
      if constexpr (std::is_same_v<M, boundary>)
        return dwell_options_set_text(options.get(), one.name, to_string(to).c_str());
      else if constexpr (std::is_same_v<M, std::optional<double>>)
        return dwell_options_set_double(options.get(), one.name, *to);
      else
        return set_by_c(options.get(), one.name, to);
    });
    if (!one.is_on(stencil_surface::c)) {
      EXPECT_EQ(status, DWELL_INPUT_ERROR) << one.name << " is there: the table says it is not";
      continue;
    }
    ++found;
    ASSERT_EQ(status, DWELL_SUCCESS) << dwell_last_error();
    const stencil_options set = c_api::stencil_options_by_name::of(options.get());
    for (const stencil_option& other : stencil_option_table())
      EXPECT_EQ(value_of(other, set), value_of(other, wanted)) << one.name << ", " << other.name;
  }
  const owned<dwell_options> options = stencil_options_of();
  EXPECT_NE(dwell_options_name(options.get(), found - 1), nullptr);
  EXPECT_EQ(dwell_options_name(options.get(), found), nullptr);
}

}  // namespace
}  // namespace dwell::test
