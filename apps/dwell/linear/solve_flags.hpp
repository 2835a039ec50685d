// SPDX-License-Identifier: MIT
// Flags of the options of a linear solve, made of their table
// (solvers/linear/api/options_table.hpp).
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "cli/destination.hpp"
#include "linear/near_null.hpp"

#include "dwell/solvers/linear/api/options_table.hpp"

namespace dwell::app {

/// What the flags fill: the options, and the files that some of these are read from or lead to.
struct solve_flags {
  solve_options options;
  std::string precision = "f64";
  std::string null_vectors;
  near_null_files near_null;
  destination history;
};

/// The flag of an option on this surface. help: instead of the table's, where a command means it
/// otherwise. That of `method` makes "auto" the default: dwell cg is the command for "cg".
CLI::Option* add_flag(CLI::App& app, surface here, std::string_view option, solve_flags& to,
                      const std::string& help = {});
/// Those of a group that this surface has. only_cg: without those of other methods.
void add_flags(CLI::App& app, surface here, option_group group, solve_flags& to,
               bool only_cg = false);

}  // namespace dwell::app
