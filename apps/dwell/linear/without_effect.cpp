// SPDX-License-Identifier: MIT
// A row for each option: which methods and preconditioners heed it.
#include "linear/without_effect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dwell/base/policy_words.hpp"
#include "dwell/solvers/linear/api/options_table.hpp"

namespace dwell::app {
namespace {

/// Rows that a run may not heed, and the flags that they have: vectors may come of coordinates.
std::vector<std::pair<std::string, const solve_option*>> conditional_flags() {
  std::vector<std::pair<std::string, const solve_option*>> flags;
  for (const solve_option& option : solve_option_table()) {
    if (!option.flag || (!option.part_of && option.name != std::string_view("restart"))) continue;
    flags.emplace_back(option.flag, &option);
    if (option.name == std::string_view("near_null")) flags.emplace_back("--coordinates", &option);
  }
  return flags;
}

bool heeds(const heeded& run, const solve_option& option) {
  const auto is = [&](preconditioner one) {
    return run.preconditioner == one || run.preconditioner == preconditioner::automatic;
  };
  if (!option.part_of) return run.method == automatic || option.is_of(run.method);
  return is(*option.part_of) || (option.name == std::string_view("block_size") && run.near_null &&
                                 is(preconditioner::amg));
}

/// What heeds it.
std::string owner_of(const solve_option& option) {
  if (!option.part_of) return fmt::format("method {}", option.methods);
  return fmt::format(
      "preconditioner {}{}", to_string(*option.part_of),
      option.name == std::string_view("block_size") ? ", and of amg with near-null vectors" : "");
}

}  // namespace

std::vector<std::string> without_effect(const CLI::App& command, const std::vector<heeded>& runs) {
  std::vector<std::string> lines;
  for (const auto& [flag, row] : conditional_flags()) {
    const solve_option& option = *row;
    const CLI::Option* given = command.get_option_no_throw(flag);
    if (!given || given->count() == 0 ||
        std::any_of(runs.begin(), runs.end(),
                    [&](const heeded& run) { return heeds(run, option); }))
      continue;
    std::set<std::string> instead;
    for (const heeded& run : runs)
      instead.insert(option.part_of
                         ? fmt::format("the preconditioner is {}", to_string(run.preconditioner))
                         : fmt::format("the method is {}", run.method));
    lines.push_back(fmt::format("{} has no effect: it is of {}, and {}", flag, owner_of(option),
                                fmt::join(instead, ", ")));
  }
  return lines;
}

}  // namespace dwell::app
