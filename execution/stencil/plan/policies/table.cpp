// SPDX-License-Identifier: MIT
// The table of policies for stencils. Names in the command line, errors and `dwell info` are these.
// A test runs each.
#include "dwell/execution/stencil/plan/policies/table.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell {
namespace {

constexpr cache_permission nothing[] = {{.registers = false, .scratch = false}};
constexpr cache_permission scratch[] = {{.registers = false, .scratch = true}};
constexpr cache_permission registers[] = {{.registers = true, .scratch = false}};
constexpr cache_permission both[] = {{.registers = true, .scratch = true}};
constexpr cache_permission any[] = {both[0], registers[0], scratch[0], nothing[0]};

constexpr policies::named_stencil_policy table[] = {
    {nothing_cached, "nothing but what the hardware caches hold", nothing},
    {"shared", "what fits in shared memory", scratch},
    {"registers", "what fits in registers", registers},
    {"both", "registers first, then shared memory", both},
    {"greedy", "the same as both", both, false, "both"},
    {"model", "least projected time", any},
    {"measured", "least time of the most promising plans, tried on the device", any, true},
};
constexpr const char* chosen_by_default = "model";  ///< what "auto" is

}  // namespace

std::vector<std::string> built_stencil_policies() {
  std::vector<std::string> names;
  for (const auto& p : table) names.emplace_back(p.name);
  return names;
}

std::span<const policies::named_stencil_policy> policies::stencil_policies() { return table; }

const policies::named_stencil_policy& policies::find_stencil_policy(std::string_view name) {
  const std::string_view wanted = name == automatic ? chosen_by_default : name;
  for (const auto& p : table)
    if (p.name == wanted) return p;
  auto names = after_auto(built_stencil_policies());
  const auto found = found_word(name, names);
  const auto last = names.back();
  names.pop_back();
  throw input_error(
      fmt::format("policy: expected {} or {}, found {}", fmt::join(names, ", "), last, found));
}

}  // namespace dwell
