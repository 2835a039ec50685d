// SPDX-License-Identifier: MIT
// Flags of the options of linear solves and stencils: every row of the table that the command line
// has sets its member and no other one, and the commands have the flags that the table says.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "cli_runner.hpp"
#include "linear/solve_flags.hpp"
#include "option_values.hpp"
#include "stencil/stencil_flags.hpp"

namespace dwell::test {
namespace {

using namespace app;
using strings = std::vector<std::string>;

/// The words that ask for the value that this option has in `o`.
strings words_for(const solve_option& option, const solve_options& o) {
  const std::string flag = option.flag;
  if (option.words && flag == "--precision") return {flag, option.words().back()};
  if (flag == "--history") return {flag, "h.csv"};
  return with_member(option, o, [&]<class M>(const M&) -> strings {
    if constexpr (std::is_same_v<M, bool>)
      return {flag};
    else if constexpr (std::is_same_v<M, std::vector<double>>)
      return {flag, "vectors.npy"};
    else
      return {flag, value_of(option, o)};
  });
}

TEST(cli_options, set_their_member_and_no_other) {
  for (const surface here :
       {surface::solve, surface::compare_solve, surface::compare_cg, surface::explain})
    for (const solve_option& one : solve_option_table()) {
      if (!one.flag || !one.is_on(here)) continue;
      CLI::App command;
      solve_flags to;
      add_flag(command, here, one.name, to);
      solve_options wanted = with_another_value(one);
      strings words = words_for(one, wanted);
      std::reverse(words.begin(), words.end());  // the order that CLI11 takes
      ASSERT_NO_THROW(command.parse(words)) << one.name;
      if (!wanted.null_vectors.empty() || !wanted.preconditioning.near_null.empty()) {
        EXPECT_EQ(to.null_vectors + to.near_null.vectors, "vectors.npy") << one.name;
        wanted = {};
      }
      for (const solve_option& other : solve_option_table())
        EXPECT_EQ(value_of(other, to.options), value_of(other, wanted))
            << one.name << ", " << other.name;
    }
}

/// What a command of the surface prints of itself.
strings flags_of(const strings& command) {
  strings words = {"man"}, flags;
  words.insert(words.end(), command.begin(), command.end());
  words.insert(words.end(), {"--format", "markdown"});
  for (const auto& line : lines_of(dwell_cli(words).out)) {
    if (!line.starts_with("- `")) continue;
    if (const auto at = line.find("--"); at != std::string::npos && at < line.find(':'))
      flags.push_back(line.substr(at, line.find_first_of(" `[", at) - at));
  }
  return flags;
}

TEST(cli_options, are_those_of_the_table_in_each_command) {
  const std::pair<surface, strings> commands[] = {{surface::solve, {"solve"}},
                                                  {surface::compare_solve, {"compare", "solve"}},
                                                  {surface::compare_cg, {"compare", "cg"}},
                                                  {surface::explain, {"explain", "solve"}}};
  for (const auto& [here, command] : commands) {
    const strings flags = flags_of(command);
    ASSERT_GT(flags.size(), 10u);
    for (const solve_option& one : solve_option_table()) {
      if (!one.flag || std::string_view(one.flag) == "--precision") continue;  // f32 is everywhere
      const bool there = std::find(flags.begin(), flags.end(), one.flag) != flags.end();
      EXPECT_EQ(there, one.is_on(here)) << one.name << ", dwell " << command.front()
                                        << (there ? "" : " lacks it without a reason");
    }
  }
}

TEST(cli_options, without_a_flag_say_why) {
  for (const solve_option& one : solve_option_table())
    if (!one.flag) {
      EXPECT_FALSE(one.is_on(surface::solve)) << one.name;
      EXPECT_FALSE(one.is_on(surface::explain)) << one.name;
    }
}

/// Those that a command adds by itself: when a run ends.
bool ends_a_run(const stencil_option& option) {
  return std::string_view(option.name) == "steps" || std::string_view(option.name) == "until" ||
         std::string_view(option.name) == "check_every";
}

TEST(cli_options, of_stencils_set_their_member_and_no_other) {
  for (const stencil_surface here :
       {stencil_surface::run, stencil_surface::compare, stencil_surface::explain})
    for (const stencil_option& one : stencil_option_table()) {
      if (!one.flag || !one.is_on(here) || ends_a_run(one)) continue;
      CLI::App command;
      stencil_options to;
      add_stencil_flag(command, here, one.name, to);
      const stencil_options wanted = with_another_value(one);
      const bool weights = std::string_view(one.name) == "weights";
      strings words = {weights ? "0.5,-2" : value_of(one, wanted),
                       one.flag};  // the order that CLI11 takes
      ASSERT_NO_THROW(command.parse(words)) << one.name;
      for (const stencil_option& other : stencil_option_table())
        EXPECT_EQ(value_of(other, to), value_of(other, wanted)) << one.name << ", " << other.name;
    }
}

TEST(cli_options, of_stencils_are_those_of_the_table_in_each_command) {
  const std::pair<stencil_surface, strings> commands[] = {
      {stencil_surface::run, {"stencil"}},
      {stencil_surface::compare, {"compare", "stencil"}},
      {stencil_surface::explain, {"explain", "stencil"}}};
  for (const auto& [here, command] : commands) {
    const strings flags = flags_of(command);
    ASSERT_GT(flags.size(), 10u);
    for (const stencil_option& one : stencil_option_table()) {
      if (!one.flag) continue;
      // Explained of several fields, refused of one (test_cli_field_files.cpp).
      if (here == stencil_surface::explain && std::string_view(one.name) == "executor") continue;
      const bool there = std::find(flags.begin(), flags.end(), one.flag) != flags.end();
      EXPECT_EQ(there, one.is_on(here)) << one.name << ", dwell " << command.front()
                                        << (there ? "" : " lacks it without a reason");
    }
  }
}

}  // namespace
}  // namespace dwell::test
