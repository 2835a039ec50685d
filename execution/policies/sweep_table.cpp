// SPDX-License-Identifier: MIT
// The table of policies for Sweeps, which help texts and `dwell info` show, too. A test runs each.
#include "dwell/execution/policies/sweep_table.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "dwell/execution/core/variants.hpp"
#include "dwell/formats/error.hpp"
#include "dwell/formats/nearest.hpp"

namespace dwell {
namespace {

using policies::sweep_permission;

constexpr sweep_permission nothing[] = {{.registers = false, .scratch = false}};
constexpr sweep_permission scratch[] = {{.registers = false, .scratch = true}};
constexpr sweep_permission registers[] = {{.registers = true, .scratch = false}};
constexpr sweep_permission both[] = {{.registers = true, .scratch = true}};
constexpr sweep_permission any[] = {both[0], registers[0], scratch[0], nothing[0]};

struct named_sweep_policy {
  const char* name;
  std::span<const sweep_permission> may;
};
constexpr named_sweep_policy table[] = {
    {"none", nothing}, {"shared", scratch}, {"registers", registers}, {"both", both},
    {"greedy", both},  {"model", any},      {"measured", any},
};
constexpr std::string_view chosen_by_default = "model";  ///< what "auto" is

}  // namespace

std::vector<std::string> built_sweep_policies() {
  std::vector<std::string> names;
  for (const auto& p : table) names.emplace_back(p.name);
  return names;
}

std::span<const sweep_permission> policies::permissions_of(std::string_view policy) {
  const auto name = policy == "auto" ? chosen_by_default : policy;
  for (const auto& p : table)
    if (p.name == name) return p.may;
  auto names = built_sweep_policies();
  names.insert(names.begin(), "auto");
  const auto found = found_word(policy, names);
  const auto last = names.back();
  names.pop_back();
  throw input_error(
      fmt::format("policy: expected {} or {}, found {}", fmt::join(names, ", "), last, found));
}

}  // namespace dwell
