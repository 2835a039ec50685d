// SPDX-License-Identifier: MIT
// The subcommands of iterative stencils.
#pragma once
#include "cli/commands.hpp"

namespace dwell::app {

command add_stencil(CLI::App& subcommand);
command add_compare_stencil(CLI::App& subcommand);
command add_explain_stencil(CLI::App& subcommand);

}  // namespace dwell::app
