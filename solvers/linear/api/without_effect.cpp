// SPDX-License-Identifier: MIT
// Who heeds an option.
#include "dwell/solvers/linear/api/without_effect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "dwell/base/policy_words.hpp"

namespace dwell {
namespace {

/// Says whether amg takes it, too, as rows of a node.
bool is_block_size(const solve_option& option) {
  return option.name == std::string_view("block_size");
}

bool heeds(const heeded& run, const solve_option& option) {
  const auto is = [&](preconditioner one) {
    return run.preconditioner == one || run.preconditioner == preconditioner::automatic;
  };
  if (!option.part_of) return run.method == automatic || option.is_of(run.method);
  return is(*option.part_of) || (is_block_size(option) && run.near_null && is(preconditioner::amg));
}

/// What heeds it.
std::string owner_of(const solve_option& option) {
  if (!option.part_of) return fmt::format("method {}", option.methods);
  return fmt::format("preconditioner {}{}", to_string(*option.part_of),
                     is_block_size(option) ? ", and of amg with near-null vectors" : "");
}

}  // namespace

bool is_conditional(const solve_option& option) {
  return option.part_of || option.name == std::string_view("restart");
}

std::string words_without_effect(const solve_option& option, const std::string& name,
                                 std::span<const heeded> runs) {
  if (!is_conditional(option) ||
      std::any_of(runs.begin(), runs.end(), [&](const heeded& run) { return heeds(run, option); }))
    return {};
  std::set<std::string> instead;
  for (const heeded& run : runs)
    instead.insert(option.part_of
                       ? fmt::format("the preconditioner is {}", to_string(run.preconditioner))
                       : fmt::format("the method is {}", run.method));
  return fmt::format("{} has no effect: it is of {}, and {}", name, owner_of(option),
                     fmt::join(instead, ", "));
}

}  // namespace dwell
