// SPDX-License-Identifier: MIT
// See choices.hpp.
#include "linear/choices.hpp"

#include <memory>

#include "dwell/base/policy_words.hpp"

namespace dwell::app {

std::vector<std::string> variant_choices() { return after_auto(variants_of("cg")); }

CLI::Option* add_solver(CLI::App& app, std::string& value) {
  std::vector<std::string> names;
  for (const auto& m : dwell::methods()) names.push_back(m.name);
  value = automatic;
  return add_choice(app, "--solver", value, after_auto(names),
                    "The method: cg for symmetric positive definite matrices, minres for symmetric "
                    "ones, bicgstab for all; auto is the first of these that symmetry and diagonal "
                    "of the matrix allow, the report says why");
}

CLI::Option* add_variant(CLI::App& app, std::string& value, const std::string& help) {
  return add_choice(app, "--variant", value, variant_choices(), help);
}

CLI::Option* add_preconditioner(CLI::App& app, preconditioner& value, const std::string& help,
                                bool leave_open) {
  std::vector<std::string> names;
  for (const auto one : preconditioners())
    if (leave_open || one != preconditioner::automatic) names.push_back(to_string(one));
  const auto text = std::make_shared<std::string>(to_string(value));
  auto* option = add_choice(app, "--preconditioner", *text, names, help);
  option->each([&value, text](const std::string& given) {  // before the choice is checked
    for (const auto one : preconditioners())
      if (to_string(one) == given) value = one;
  });
  return option;
}

}  // namespace dwell::app
