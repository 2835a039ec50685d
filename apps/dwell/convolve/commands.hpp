// SPDX-License-Identifier: MIT
// The subcommands of convolutions.
#pragma once
#include "cli/commands.hpp"

namespace dwell::app {

command add_convolve(CLI::App& subcommand);
command add_compare_convolve(CLI::App& subcommand);
command add_explain_convolve(CLI::App& subcommand);

}  // namespace dwell::app
