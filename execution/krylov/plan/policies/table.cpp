// SPDX-License-Identifier: MIT
// The table of policies for Programs. Names in the command line, errors and `dwell info` are these.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/krylov/plan/policies/policies.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"

namespace dwell {
namespace {
constexpr named_policy table[] = {
    {nothing_cached, "nothing but what the hardware caches hold", &policies::none, nullptr},
    {"vectors", "vectors, the most used first", &policies::vectors, nullptr},
    {"matrix", "tiles of the matrix", &policies::matrix, nullptr},
    {"mixed", "the residual whole, then tiles of the matrix", &policies::mixed, nullptr},
    {"greedy", "most bytes of traffic saved per byte cached", &policies::greedy, nullptr},
    {"model", "least projected time", &policies::model, nullptr, true},
    {"measured", "least time of the others, tried on the device", nullptr, &policies::measured,
     true},
};
constexpr const char* chosen_by_default = "model";  ///< what "auto" is
}  // namespace

std::span<const named_policy> program_policies() { return table; }

const named_policy& find_policy(std::string_view name) {
  const std::string_view wanted = name == automatic ? chosen_by_default : name;
  for (const auto& p : table)
    if (p.name == wanted) return p;
  throw unsupported_error(fmt::format("expected a policy ({}), found {}",
                                      fmt::join(built_policies(), ", "),
                                      found_word(name, built_policies())));
}

std::vector<std::string> built_policies() {
  std::vector<std::string> names;
  for (const auto& p : table) names.emplace_back(p.name);
  return names;
}

std::vector<std::string> planning_policies() {
  std::vector<std::string> names;
  for (const auto& p : table)
    if (p.choose) names.emplace_back(p.name);
  return names;
}

}  // namespace dwell
