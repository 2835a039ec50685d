// SPDX-License-Identifier: MIT
// Look-ups in the table of variants.
#include "dwell/solvers/linear/choose/variant.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/solvers/linear/direct/direct_method.hpp"

namespace dwell {

std::vector<method_description> methods() {
  std::vector<method_description> all;
  for (const solver_variant& f : solver_variants())
    if (all.empty() || all.back().name != f.method)
      all.push_back({f.method, f.title, f.solves, f.breaks_down});
  if (const auto direct = direct_variants(); !direct.empty())
    all.push_back({direct_method, direct.front().title, direct.front().solves,
                   direct.front().breaks_down, false});
  return all;
}

std::span<const solver_variant> solver_variants(std::string_view method) {
  if (is_direct(method) && !direct_variants().empty()) return direct_variants();
  const auto all = solver_variants();
  const auto is_of = [&](const solver_variant& f) { return f.method == method; };
  const auto begin = std::find_if(all.begin(), all.end(), is_of);
  if (begin != all.end()) return {begin, std::find_if_not(begin, all.end(), is_of)};
  std::vector<std::string> names;
  for (const method_description& m : methods()) names.push_back(m.name);
  names = after_auto(names);
  throw input_error(fmt::format("expected a method ({}), found {}", fmt::join(names, ", "),
                                found_word(method, names)));
}

std::vector<std::string> variants_of(std::string_view method) {
  std::vector<std::string> names;
  for (const solver_variant& f : solver_variants(method))
    if (f.without) names.emplace_back(f.name);
  return names;
}

const solver_variant& find_variant(std::string_view method, std::string_view name) {
  for (const solver_variant& f : solver_variants(method))
    if (f.name == name) return f;
  const auto names = after_auto(variants_of(method));
  throw input_error(fmt::format("expected a variant ({}), found {}", fmt::join(names, ", "),
                                found_word(name, names)));
}

}  // namespace dwell
