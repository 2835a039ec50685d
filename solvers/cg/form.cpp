// SPDX-License-Identifier: MIT
// See form.hpp.
#include "dwell/solvers/cg/form.hpp"

#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/policy_words.hpp"

namespace dwell {

std::vector<std::string> cg_variants() {
  std::vector<std::string> names;
  for (const cg_form& f : cg_forms())
    if (!f.with_chain) names.emplace_back(f.name);
  return names;
}

const cg_form& find_cg_form(std::string_view name) {
  for (const cg_form& f : cg_forms())
    if (f.name == name) return f;
  const auto names = after_auto(cg_variants());
  throw input_error(fmt::format("expected a variant ({}), found {}", fmt::join(names, ", "),
                                found_word(name, names)));
}

}  // namespace dwell
