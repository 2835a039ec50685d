// SPDX-License-Identifier: MIT
// See without_effect.hpp.
#include "linear/without_effect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "dwell/base/policy_words.hpp"

namespace dwell::app {
namespace {

struct conditional_option {
  const char* name;
  const char* of;  ///< what heeds it
  std::function<bool(const heeded&)> by;
  std::function<std::string(const heeded&)> instead;
};

std::string preconditioner_of(const heeded& run) {
  return fmt::format("the preconditioner is {}", to_string(run.preconditioner));
}

bool is(const heeded& run, preconditioner one) {
  return run.preconditioner == one || run.preconditioner == preconditioner::automatic;
}
conditional_option of_preconditioner(const char* name, const char* of, preconditioner one) {
  return {name, of, [one](const heeded& run) { return is(run, one); }, preconditioner_of};
}
const std::vector<conditional_option>& conditional_options() {
  static const std::vector<conditional_option> all = {
      {"--restart", "method gmres",
       [](const heeded& run) { return run.method == automatic || run.method == "gmres"; },
       [](const heeded& run) { return fmt::format("the method is {}", run.method); }},
      {"--block-size", "preconditioner block-jacobi, and of amg with near-null vectors",
       [](const heeded& run) {
         return is(run, preconditioner::block_jacobi) ||
                (is(run, preconditioner::amg) && run.near_null);
       },
       preconditioner_of},
      of_preconditioner("--degree", "preconditioner chebyshev", preconditioner::chebyshev),
      of_preconditioner("--power", "preconditioner fsai", preconditioner::fsai),
      of_preconditioner("--factor-sweeps", "preconditioner ilu0", preconditioner::ilu0),
      of_preconditioner("--sweeps", "preconditioner ilu0", preconditioner::ilu0),
      of_preconditioner("--near-null", "preconditioner amg", preconditioner::amg),
      of_preconditioner("--coordinates", "preconditioner amg", preconditioner::amg)};
  return all;
}

}  // namespace

std::vector<std::string> without_effect(const CLI::App& command, const std::vector<heeded>& runs) {
  std::vector<std::string> lines;
  for (const conditional_option& o : conditional_options()) {
    const CLI::Option* option = command.get_option_no_throw(o.name);
    if (!option || option->count() == 0 || std::any_of(runs.begin(), runs.end(), o.by)) continue;
    std::set<std::string> instead;
    for (const heeded& run : runs) instead.insert(o.instead(run));
    lines.push_back(fmt::format("{} has no effect: it is of {}, and {}", o.name, o.of,
                                fmt::join(instead, ", ")));
  }
  return lines;
}

}  // namespace dwell::app
