// SPDX-License-Identifier: MIT
// A row for each flag that a run may not heed.
#include "linear/without_effect.hpp"

#include <string_view>
#include <utility>

namespace dwell::app {
namespace {

/// Rows that a run may not heed, and the flags that they have: vectors may come of coordinates.
std::vector<std::pair<std::string, const solve_option*>> conditional_flags() {
  std::vector<std::pair<std::string, const solve_option*>> flags;
  for (const solve_option& option : solve_option_table()) {
    if (!option.flag || !is_conditional(option)) continue;
    flags.emplace_back(option.flag, &option);
    if (option.name == std::string_view("near_null")) flags.emplace_back("--coordinates", &option);
  }
  return flags;
}

}  // namespace

std::vector<std::string> without_effect(const CLI::App& command, const std::vector<heeded>& runs) {
  std::vector<std::string> lines;
  for (const auto& [flag, option] : conditional_flags()) {
    const CLI::Option* given = command.get_option_no_throw(flag);
    if (!given || given->count() == 0) continue;
    if (auto line = words_without_effect(*option, flag, runs); !line.empty())
      lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace dwell::app
