// SPDX-License-Identifier: MIT
// The subcommands. Each adds itself to the command line and hands back what to run if it was
// chosen; the result of that is the exit code. Errors are thrown and become codes in main.cpp
// alone. A program that is linked without the files of a subcommand lacks it: weak symbols, null.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

#include "cli/exit_code.hpp"

namespace dwell::app {

using command = std::function<exit_code()>;

/// These two have subcommands of their own, by method (methods.hpp).
[[gnu::weak]] command add_compare(CLI::App& subcommand);
[[gnu::weak]] command add_explain(CLI::App& subcommand);
[[gnu::weak]] command add_info(CLI::App& subcommand);
[[gnu::weak]] command add_generate(CLI::App& subcommand);
[[gnu::weak]] command add_convert(CLI::App& subcommand);
/// Its subcommands are list, clear and warm.
[[gnu::weak]] command add_kernels(CLI::App& subcommand);
[[gnu::weak]] command add_measure(CLI::App& subcommand);
/// Its subcommands are sweep and scaling.
[[gnu::weak]] command add_model(CLI::App& subcommand);
[[gnu::weak]] command add_trace(CLI::App& subcommand);
/// What describes the command line itself (describe/).
[[gnu::weak]] command add_completion(CLI::App& subcommand);
[[gnu::weak]] command add_man(CLI::App& subcommand);

}  // namespace dwell::app
