// SPDX-License-Identifier: MIT
// The subcommands of systems on grids.
#pragma once
#include "cli/commands.hpp"

namespace dwell::app {

command add_grid(CLI::App& subcommand);
command add_explain_grid(CLI::App& subcommand);

}  // namespace dwell::app
