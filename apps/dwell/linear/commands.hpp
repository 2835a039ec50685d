// SPDX-License-Identifier: MIT
// The subcommands of linear systems. Weak: as in cli/commands.hpp.
#pragma once
#include "cli/commands.hpp"

namespace dwell::app {

command add_solve(CLI::App& subcommand);
[[gnu::weak]] command add_compare_solve(CLI::App& subcommand);
[[gnu::weak]] command add_explain_solve(CLI::App& subcommand);
command add_cg(CLI::App& subcommand);
[[gnu::weak]] command add_compare_cg(CLI::App& subcommand);
[[gnu::weak]] command add_explain_cg(CLI::App& subcommand);

}  // namespace dwell::app
