// SPDX-License-Identifier: MIT
// Options that name files: outputs and inputs, "-" among them.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "cli/destination.hpp"

namespace dwell::app {

/// An option that names an output; "-" is standard output.
CLI::Option* add_destination(CLI::App& app, const std::string& names, destination& value,
                             const std::string& help, const std::string& type = "FILE|-");
/// --json of a command that prints a report.
CLI::Option* add_json(CLI::App& app, destination& value, const std::string& what);

/// An option (or an argument) that names an input; "-" is standard input, /dev/stdin from here on.
CLI::Option* add_input(CLI::App& app, const std::string& names, std::string& value,
                       const std::string& help, const std::string& type = "FILE|-");
/// /dev/stdin for "-", else the same.
std::string input_name(const std::string& text);

}  // namespace dwell::app
