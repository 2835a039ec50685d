// SPDX-License-Identifier: MIT
// Goes through the demands of the methods.
#include "dwell/solvers/linear/choose/choose_method.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"

namespace dwell {

namespace {

auto first_for(const system_facts& facts) {
  const auto variants = solver_variants();
  return std::find_if(variants.begin(), variants.end(),
                      [&](const solver_variant& f) { return facts.is(f.solves); });
}

}  // namespace

bool has_method_for(const system_facts& facts) {
  return first_for(facts) != solver_variants().end();
}

method_choice choose_method(const system_facts& facts) {
  const auto found = first_for(facts);
  if (!has_method_for(facts))
    throw unsupported_error(fmt::format(
        "the matrix is not {}, and this program has no other method than {}; a whole build has",
        facts.symmetric ? "positive definite" : "symmetric", solver_variants().back().method));
  const char* why = facts.positive_diagonal && facts.symmetric
                        ? "the matrix is symmetric with a positive diagonal"
                    : facts.symmetric ? "the matrix is symmetric, its diagonal not all positive"
                                      : "the matrix is not symmetric";
  return {found->method, why};
}

}  // namespace dwell
