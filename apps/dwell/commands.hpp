// SPDX-License-Identifier: MIT
// The subcommands. Each adds itself to the command line and hands back what to run if it was
// chosen; the result of that is the exit code. Errors are thrown and become codes in main.cpp
// alone.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

#include "exit_code.hpp"

namespace dwell::app {

using command = std::function<exit_code()>;

command add_cg(CLI::App& subcommand);
command add_info(CLI::App& subcommand);
command add_generate(CLI::App& subcommand);
command add_stencil(CLI::App& subcommand);
command add_compare_stencil(CLI::App& subcommand);
command add_explain_stencil(CLI::App& subcommand);
/// These two have subcommands of their own, by solver: cg, stencil.
command add_compare(CLI::App& subcommand);
command add_explain(CLI::App& subcommand);

}  // namespace dwell::app
