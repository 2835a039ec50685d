// SPDX-License-Identifier: MIT
// The methods that the command line offers, and the subcommands that follow from them: `dwell
// NAME`, `dwell compare NAME`, `dwell explain NAME`. A method is a folder and a line in
// methods.cpp.
#pragma once
#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/commands.hpp"

namespace dwell::app {

struct method {
  struct example {
    std::string line, does;
  };
  /// One of the subcommands.
  struct form {
    std::string help;  ///< in the list of subcommands, one line
    std::vector<example> examples;
    command (*add)(CLI::App& subcommand);  ///< null: the method does not have it
  };
  std::string name;
  form run, compare, explain;
};

/// Those that this program is linked with, and the names of the others.
std::span<const method> methods();
std::vector<std::string> absent_methods();

/// Adds a subcommand for each method; the result runs the one that was chosen.
command add_methods(CLI::App& app, method::form method::*form);

/// "Examples:" and those of this form of all methods.
std::string examples_of(method::form method::*form);
/// The lines without a head: of each method its runs, and the first of each other form.
std::string examples_of_all();
/// "  line   what it does", for the lists above.
std::string example_line(const method::example& e);

}  // namespace dwell::app
