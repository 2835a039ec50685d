// SPDX-License-Identifier: MIT
// The choices that the subcommands of linear systems share.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments.hpp"

#include "dwell/solvers/linear/solve.hpp"

namespace dwell::app {

/// Forms of conjugate gradients, "auto" among them.
std::vector<std::string> variant_choices();

/// --solver.
CLI::Option* add_solver(CLI::App& app, std::string& value);
/// --variant.
CLI::Option* add_variant(CLI::App& app, std::string& value, const std::string& help);
/// --preconditioner.
/// leave_open: "auto" is one of the choices.
CLI::Option* add_preconditioner(CLI::App& app, preconditioner& value, const std::string& help,
                                bool leave_open = true);

}  // namespace dwell::app
