// SPDX-License-Identifier: MIT
// Command lines: `dwell help` and `dwell version` as their options, and what is said of one that is
// wrong.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dwell::app {

/// The arguments without the program's name, in the order that CLI11 takes them (last first).
/// "help COMMAND..." is "COMMAND... --help", and "version" is "--version".
std::vector<std::string> arguments_of(int argc, char** argv);

/// The first word that should have been a subcommand and is none, e.g. of "dwell cgg --help"; as
/// one line, or empty.
std::string unknown_command(const CLI::App& app);

/// What is wrong with a command line that CLI11 does not take, as one line. An option or a
/// subcommand that is not known comes first: what else is missing may follow from it.
std::string usage_line(const CLI::App& app, const CLI::ParseError& e);

}  // namespace dwell::app
