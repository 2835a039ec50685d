// SPDX-License-Identifier: MIT
// Policies by name.
#include <fmt/format.h>

#include <string>

#include "dwell/execution/core/variants.hpp"
#include "dwell/execution/policies/policies.hpp"
#include "dwell/formats/error.hpp"
#include "dwell/formats/nearest.hpp"

namespace dwell {
namespace {
constexpr named_policy table[] = {
    {"none", "nothing: what the caches keep", &policies::none, nullptr},
    {"vectors", "vectors, the most used first", &policies::vectors, nullptr},
    {"matrix", "tiles of the matrix", &policies::matrix, nullptr},
    {"mixed", "the residual whole, then tiles of the matrix", &policies::mixed, nullptr},
    {"greedy", "most bytes of traffic saved per byte kept", &policies::greedy, nullptr},
    {"model", "least projected time", &policies::model, nullptr},
    {"measured", "least time of the others, tried on the device", nullptr, &policies::measured},
};
}  // namespace

std::span<const named_policy> program_policies() { return table; }

const named_policy& find_policy(std::string_view name) {
  for (const auto& p : table)
    if (p.name == name) return p;
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
