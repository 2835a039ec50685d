// SPDX-License-Identifier: MIT
// --config: options from a TOML file, in a section for each command. The command line wins over the
// file; what the file has and the command has not is an error with file and line.
#pragma once
#include <CLI/CLI.hpp>

namespace dwell::app {

/// Adds --config to the program and to each command that runs something: those that have no
/// commands below them. To be called when all of them are there.
void add_config(CLI::App& program);

}  // namespace dwell::app
