// SPDX-License-Identifier: MIT
// The choices that the subcommands of conjugate gradients share.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments.hpp"

#include "dwell/solvers/cg/cg.hpp"

namespace dwell::app {

/// Forms of the iteration, "auto" among them.
std::vector<std::string> variant_choices();

/// --variant.
CLI::Option* add_variant(CLI::App& app, std::string& value, const std::string& help);
/// --preconditioner.
CLI::Option* add_preconditioner(CLI::App& app, preconditioner& value, const std::string& help);

}  // namespace dwell::app
