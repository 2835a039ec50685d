// SPDX-License-Identifier: MIT
// The subcommands. Each adds itself to the command line and hands back what to run if it was
// chosen; the result of that is the exit code. Errors are thrown and become codes in main.cpp
// alone.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

#include "cli/exit_code.hpp"

namespace dwell::app {

using command = std::function<exit_code()>;

/// These two have subcommands of their own, by method (methods.hpp).
command add_compare(CLI::App& subcommand);
command add_explain(CLI::App& subcommand);
command add_info(CLI::App& subcommand);
command add_generate(CLI::App& subcommand);
command add_convert(CLI::App& subcommand);
command add_measure(CLI::App& subcommand);
/// Its subcommands are sweep and scaling.
command add_model(CLI::App& subcommand);
command add_trace(CLI::App& subcommand);
/// What describes the command line itself (describe/).
command add_completion(CLI::App& subcommand);
command add_man(CLI::App& subcommand);

}  // namespace dwell::app
