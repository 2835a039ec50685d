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
                    "ones, bicgstab and gmres for all; auto is the first of these that symmetry "
                    "and diagonal of the matrix allow, the report says why");
}

CLI::Option* add_variant(CLI::App& app, std::string& value, const std::string& help) {
  return add_choice(app, "--variant", value, variant_choices(), help);
}

CLI::Option* add_preconditioner(CLI::App& app, preconditioner& value,
                                preconditioner_options& options, const std::string& help,
                                bool leave_open, const std::string& method) {
  std::vector<std::string> names;
  for (const auto one : preconditioners())
    if (leave_open || one != preconditioner::automatic) names.push_back(to_string(one));
  const auto text = std::make_shared<std::string>(to_string(value));
  auto* option = add_choice(app, "--preconditioner", *text, names, help);
  option->each([&value, text](const std::string& given) {  // before the choice is checked
    for (const auto one : preconditioners())
      if (to_string(one) == given) value = one;
  });
  if (method == "cg") {  // which takes symmetric ones
    std::erase(names, to_string(preconditioner::ilu0));
    set_completions(option, {names});
  }
  add_preconditioning(app, options);
  return option;
}

void add_preconditioning(CLI::App& app, preconditioner_options& options) {
  add_positive(app, "--block-size", options.block_size,
               "Of block-jacobi: rows of a block, up to 32 (default: consecutive rows with equal "
               "columns are a block); of amg with near-null vectors: rows of a node (default: 1)")
      ->default_str("");
  add_positive(app, "--degree", options.degree,
               "Of chebyshev: the degree of the polynomial, up to 16");
  add_positive(app, "--power", options.power,
               "Of fsai: the pattern is that of the matrix (1) or of its square (2)");
  add_positive(app, "--factor-sweeps", options.factor_sweeps,
               "Of ilu0: sweeps that compute the factors, up to 100");
  add_positive(app, "--sweeps", options.sweeps,
               "Of ilu0: sweeps that solve with each factor, up to 16");
}

}  // namespace dwell::app
