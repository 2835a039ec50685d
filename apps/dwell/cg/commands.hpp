// SPDX-License-Identifier: MIT
// The subcommands of conjugate gradients.
#pragma once
#include "cli/commands.hpp"

namespace dwell::app {

command add_cg(CLI::App& subcommand);
command add_compare_cg(CLI::App& subcommand);
command add_explain_cg(CLI::App& subcommand);

}  // namespace dwell::app
